// For tests only: the golden shows of the algebra of graphs, as a Player has them on a page.

import { ShowHost, still } from "./shows.js";
import type { Traits } from "../host.js";
import { ELIMINATIONS } from "../player/elimination-kit.js";
import { Player } from "../player/player.js";
import { type Show, readScene } from "../scene/scene.js";
import crossed from "../../../tests/goldens/algebra/two_crossed_diamonds.json";
import paths from "../../../tests/goldens/algebra/two_crossed_diamonds_by_paths.json";
import pages from "../../../tests/goldens/algebra/slide_in_pages.json";

const GOLDENS = { crossed, paths, pages };

export { still };

/** A Player of a golden show, without questions unless a change says otherwise, and hands to use it. */
export function playAlgebra(name: keyof typeof GOLDENS, traits: Partial<Traits> = {}, changes: Partial<Show> = {}) {
  const { scene: golden, columns } = structuredClone(GOLDENS[name]);
  const scene = readScene({ ...golden, teach: false, ...changes }) as Show;
  const host = new ShowHost({ scene, columns, traits });
  const player = new Player(host, scene, ELIMINATIONS);
  document.body.append(player.element);
  const all = (selector: string): HTMLElement[] => [...player.element.querySelectorAll<HTMLElement>(selector)];
  const find = (selector: string): HTMLElement => all(selector)[0]!;
  const fire = (target: Element, type: string, more: object = {}): boolean => target.dispatchEvent(new MouseEvent(type, { bubbles: true, cancelable: true, ...more }));
  return {
    scene,
    host,
    player,
    all,
    find,
    point: (target: Element): boolean => fire(target, "pointerover"),
    click: (target: Element): boolean => fire(target, "click"),
    press: (target: Element, key: string): boolean => target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true })),
    go: (cursor: number): void => host.tell("cursor", cursor),
    rows: (): string[] => all(".adviz-formula-row").map((row) => row.textContent!.replace(/\s+/g, " ")),
    /** Edges that are lit in the picture. */
    edges: (how = "edge"): string[] => all(`path[data-linked="${how}"]`).map((path) => path.dataset["key"]!.slice("edge/".length)),
    /** Letters and names that are lit in the formulas. */
    letters: (): string[] => all(".adviz-letter[data-lit]").map((letter) => letter.textContent!),
    lit: (): string[] => all(".adviz-outline-row[data-lit]").map((row) => row.textContent!),
  };
}
