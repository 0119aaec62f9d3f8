// For tests only: the golden shows, a Player on a page, and a host that remembers what it was told.

import type { PlayerHost, Traits } from "../host.js";
import { PageHost, type SavedDocument } from "../hosts/page.js";
import { Player } from "../player/player.js";
import { SWEEPS } from "../player/sweep-kit.js";
import { type Show, readScene } from "../scene/scene.js";

/** A show as Python makes it: the Scene, its columns, and what is on stage at every cursor. */
interface Golden {
  scene: Show;
  columns: string;
  stages: Record<string, unknown>[];
}

const files = import.meta.glob<Golden>("../../../build/shows/*.json", { eager: true, import: "default" });

function made(name: string): Golden {
  const golden = files[`../../../build/shows/${name}.json`];
  if (!golden) throw new Error(`there is no golden show ${name}; run "python -m tests.stage.goldens" first`);
  return golden;
}

export const goldens = {
  arrays: made("arrays"),
  backward: made("backward"),
  asGraph: made("backward_as_graph"),
  beside: made("beside"),
  boxes: made("boxes"),
  folded: made("folded"),
  columns: made("columns"),
  composites: made("composites"),
  forward: made("forward"),
  lines: made("lines"),
  race: made("race"),
  tapeVsGraph: made("tape_vs_graph"),
};

export type GoldenName = keyof typeof goldens;

export const showOf = (name: GoldenName, changes: Partial<Show> = {}): Show =>
  readScene({ ...structuredClone(goldens[name].scene), ...changes }) as Show;

/** A golden show as a saved page has it that explores the graph: the graph's Scene, and where the show's is other. */
export function explored(name: GoldenName): SavedDocument {
  const { scene, columns } = structuredClone(goldens[name]);
  const { runs, steps, inputs, panels, ...graph } = scene;
  const show = { runs, steps, inputs, panels, teach: false };
  return { scene: { ...graph, panels: panels.filter(({ kind }) => kind === "graph"), steps: [] }, columns, show };
}

/** A saved page that explores a classifier, which is seen by its statements, or a loop that is seen by its iterations. */
export const statements = (name: "statements" | "iterations" = "statements"): SavedDocument => structuredClone(made(name));

/** A host that can change inputs, and remembers what it was told. */
export class ShowHost extends PageHost {
  override live = true;
  readonly told: [name: string, value: unknown][] = [];

  override tell<K extends keyof Traits>(name: K, value: Traits[K]): void {
    this.told.push([name, value]);
    super.tell(name, value);
  }

  override select(nodes: readonly number[]): void {
    this.told.push(["selection", nodes]);
    super.select(nodes);
  }

  /** Give another scene, as Python does when inputs have changed. */
  renew(scene: Show): void {
    this.saved.scene = scene;
    this.notify("scene");
  }
}

/** A Player on the page, and hands to use it. Teaching is off unless a change says otherwise. */
export function play(name: GoldenName, changes: Partial<Show> = {}, traits: Partial<Traits> = {}, nudge?: PlayerHost["nudge"]) {
  const scene = showOf(name, { teach: false, ...changes });
  const host = new ShowHost({ scene, columns: goldens[name].columns, traits });
  if (nudge) Object.assign(host, { nudge });
  const player = new Player(host, scene, SWEEPS);
  document.body.append(player.element);
  const find = <E extends Element = HTMLElement>(selector: string): E => player.element.querySelector<E>(selector)!;
  const all = (selector: string): Element[] => [...player.element.querySelectorAll(selector)];
  const press = (key: string, target: Element = player.element, options: KeyboardEventInit = {}): KeyboardEvent => {
    const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...options });
    target.dispatchEvent(event);
    return event;
  };
  const click = (selector: string): void => {
    find(selector).dispatchEvent(new MouseEvent("click", { bubbles: true }));
  };
  return {
    host,
    player,
    scene,
    find,
    all,
    press,
    click,
    caption: (): string => find(".adviz-caption").textContent!,
    cursor: (): number => Number(find(".adviz-step-count").textContent!.split(/ (?:\/|of) /)[0]),
    state: (node: number, run = 0): string =>
      all(".adviz-stagegraph")[run]!.querySelector(`[data-node="${node}"] .adviz-state`)?.textContent ?? "",
  };
}

/** Answer as a reader does who wants no motion: what moves is at its end at once. */
export const still = (query: string): unknown => ({ matches: query.includes("reduced-motion") });

/** Elements with their text and their attributes in no order; ids differ from player to player. */
export const drawn = (element: Element): string[] =>
  [...element.querySelectorAll("*")].map((part) => {
    const attributes = [...part.attributes].filter(({ name }) => name !== "id" && name !== "aria-activedescendant");
    const own = attributes.map(({ name, value }) => `${name}=${value}`).sort();
    return [part.tagName, ...own, part.childElementCount ? "" : part.textContent].join(" ");
  });
