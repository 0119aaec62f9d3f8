// Bytes over the running order as marks: who lives where, from when until when, and a line where the computation is.

import { type Point, straight } from "../motion/curves.js";
import { type Mark, box, curve, text } from "../motion/marks.js";
import type { Size } from "../picture/camera.js";
import type { MemoryBlock, MemoryPanel as Description } from "../scene/document.js";
import { bytes, plural } from "../ui/format.js";

/** Pixels that are kept free around the blocks for words. */
const [LEFT, RIGHT, TOP, BOTTOM] = [6, 8, 30, 24];
/** A block is at least as high as this, and its name as wide as so many pixels a character. */
const LEAST = 2.5;
const CHARACTER = 6.3;
const LOWEST = 12;
/** Letters of a name that is cut; and the height from which on it is seen who had the bytes. */
const FEWEST = 4;
const SEEN = 7;

/** What a block is when so many have been computed. */
export type Life = "later" | "now" | "over";

/** A block, from when until when it is drawn. */
export interface Lived {
  readonly block: MemoryBlock;
  readonly from: number;
  readonly to: number;
}

export const lifeOf = ({ from, to }: Lived, at: number): Life => (at <= from ? "later" : at - 1 >= to ? "over" : "now");

/** What a block is filled and drawn with, and its name. */
type Look = readonly [fill: string, line: string, thickness: number, ink: string];
const LOOKS: Record<Life, Look> = {
  later: ["paper", "faint", 1, "muted"],
  now: ["ink 16", "ink", 1.8, "ink"],
  over: ["ink 6", "faint", 1, "muted"],
};

/** One plan of the memory in a picture of some size. */
export class MemoryPlan {
  readonly blocks: readonly Lived[];
  readonly #layout: Description["layouts"][number];

  constructor(
    readonly description: Description,
    way: number,
    readonly size: Size,
  ) {
    this.#layout = description.layouts[way]!;
    const { blocks } = this.#layout;
    const takers = new Set(blocks.flatMap(({ in_place, before }) => (in_place && before !== undefined ? [before] : [])));
    // Who writes in place takes over in the middle of its turn.
    this.blocks = blocks.map((block, k) => ({ block, from: block.first + (block.in_place ? 0.5 : 0), to: block.last + (takers.has(k) ? 0.5 : 1) }));
  }

  #x(at: number): number {
    return LEFT + ((this.size.width - LEFT - RIGHT) * Math.max(0, at)) / Math.max(1, this.description.running.length + 1);
  }

  #y(offset: number): number {
    const { height } = this.size;
    return height - BOTTOM - ((height - TOP - BOTTOM) * offset) / Math.max(1, this.#layout.bytes);
  }

  titleOf({ name, offset, bytes: taken, first, last }: MemoryBlock): string {
    const { running } = this.description;
    const until = running[last] ? `read last by ${running[last]}` : "kept to the end";
    return `${name}: ${plural(taken, "byte")} from byte ${offset} on; computed as number ${first + 1}, ${until}`;
  }

  /** A block with its name, as far as there is room. */
  blockMarks({ block: { name, offset, bytes: taken }, from, to }: Lived, life: Life): Mark[] {
    const [fill, line, thickness, ink] = LOOKS[life];
    const [x, y] = [this.#x(from), this.#y(offset + taken)];
    const [w, h] = [this.#x(to) - x, Math.max(LEAST, this.#y(offset) - y)];
    const room = Math.floor((w - 6) / CHARACTER);
    const shown = h < LOWEST ? "" : name.length <= room ? name : room > FEWEST ? `${name.slice(0, room - 1)}…` : "";
    const [wide, high] = [Math.max(1, w - 1), Math.max(1.5, h - 1)];
    const outline = box("memory-box", { x: x + wide / 2, y: y + high / 2, w: wide, h: high }, 0, fill, line, thickness, 1, fill === "paper");
    return [outline, text("memory-label", shown, x + (w - 1) / 2, y + h / 2 + 3.5, 11, ink === "muted" ? "sans" : "bold", ink)];
  }

  /** An arrow for each value that gets the bytes of another. */
  #handOvers(): Mark[] {
    return this.blocks.flatMap(({ block, from }, k) => {
      if (block.before === undefined || this.#y(block.offset) - this.#y(block.offset + block.bytes) < SEEN) return [];
      const { block: old, to } = this.blocks[block.before]!;
      const [low, high] = [Math.max(old.offset, block.offset), Math.min(old.offset + old.bytes, block.offset + block.bytes)];
      const y = this.#y((low + Math.max(low, high)) / 2);
      const end = this.#x(from);
      const tip = [end + 3, y, end - 3, y - 3.5, end - 3, y + 3.5];
      return [line(`memory-given/${k}`, [[this.#x(to), y], [end, y]], "ink", 1, true), { type: "arrow", key: `memory-hand/${k}`, points: tip, fill: "ink", opacity: 1 }];
    });
  }

  /** The floor and the ceiling of the memory, and a frame around the moment at which most bytes live. */
  #frame(): Mark[] {
    const { peak, bound } = this.description;
    const [right, floor, top] = [this.size.width - RIGHT, this.#y(0), this.#y(this.#layout.bytes)];
    const [start, end, ceiling] = [this.#x(peak), this.#x(peak + 1), this.#y(bound)];
    return [
      line("memory-floor", [[LEFT, floor], [right, floor]], "muted", 1),
      line("memory-top", [[LEFT, top], [right, top]], "ink", 1.4),
      { ...text("memory-total", bytes(this.#layout.bytes), LEFT, top - 4, 11, "bold", "ink"), anchor: "start" },
      text("memory-total/peak", "▲ peak", (start + end) / 2, this.size.height - 8, 11, "bold", "ink"),
      line("memory-peak", [[start, floor], [start, ceiling], [end, ceiling], [end, floor]], "ink", 1.2, true),
    ];
  }

  /** The line where the computation is, and the name of what has been computed last beside it: to its left where there is more room. */
  #now(at: number): Mark[] {
    const [x, y] = [this.#x(at), TOP - 16];
    const isLeft = x > this.size.width / 2;
    return [
      line("memory-line", [[x, y], [x, this.size.height - BOTTOM]], "accent", 1.6),
      { type: "arrow", key: "memory-tip", points: [x, y, x - 5, y - 8, x + 5, y - 8], fill: "accent", opacity: 1 },
      { ...text("memory-name", this.description.running[at - 1] ?? "", x + (isLeft ? -9 : 9), 12, 11, "sans", "ink"), anchor: isLeft ? "end" : "start" },
    ];
  }

  /** What lies over the blocks after so many have been computed. */
  over(at: number): Mark[] {
    return [...this.#handOvers(), ...this.#frame(), ...this.#now(at)];
  }
}

const line = (key: string, corners: readonly Point[], paint: string, thickness: number, isDotted = false): Mark =>
  curve(key, straight(corners), paint, thickness, isDotted ? { dotted: true } : {});

/** The picture of the plan that is chosen, after so many steps. */
export function memoryMarks(description: Description, cursor: number, size: Size): Mark[] {
  const plan = new MemoryPlan(description, description.chosen, size);
  const at = description.at[cursor] ?? 0;
  return [
    ...plan.blocks.flatMap((each) => plan.blockMarks(each, lifeOf(each, at))),
    ...plan.over(at),
  ];
}
