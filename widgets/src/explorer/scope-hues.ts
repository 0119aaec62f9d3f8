// Color by scope: the scopes at the opened level have hues of their own, the largest first; the calls of one line in a
// loop, which are one row of graph.by("scope"), share theirs.

import type { Actions } from "./actions.js";
import type { Graph } from "../graph/graph.js";
import type { Picture } from "../picture/picture.js";
import type { Places } from "../picture/relations.js";
import type { Item } from "../scene/scene.js";
import { html } from "../ui/dom.js";
import { plural } from "../ui/format.js";

/** Hues that are told apart under every common color blindness; the scopes after these share none. */
const HUES = 7;

/** A scope at the opened level, and what is drawn of it. */
interface Colored {
  readonly name: string;
  readonly items: Item[];
  readonly nodes: number[];
}

/** Color the items of a picture, and return its legend: the scopes by name, each a button for its nodes. */
export function colorByScope(graph: Graph, picture: Picture, places: Places, actions: Actions): HTMLElement[] {
  const found = new Map<string, Colored>();
  for (const item of picture.panel.nodes) {
    const at = item.kind === "outside" ? null : innerScope(graph, picture.panel.scope, item);
    if (at === null) continue;
    const known = found.get(at.key) ?? { name: at.name, items: [], nodes: [] };
    known.items.push(item);
    for (const node of places.nodes(item)) known.nodes.push(node);
    found.set(at.key, known);
  }
  const scopes = [...found.values()].sort((one, other) => other.nodes.length - one.nodes.length);
  scopes.forEach(({ items }, place) => {
    for (const { key } of items) paint(picture.node(key)!, place);
  });
  if (!scopes.length) return [html("span", "no scopes inside this one")];
  const rest = scopes.length - HUES;
  return [
    html("span", "scopes"),
    ...scopes.slice(0, HUES).map(({ name, nodes }, place) => {
      const button = html("button.adviz-link", { title: plural(nodes.length, "node") }, swatch(place), name);
      button.addEventListener("click", () => actions.select(nodes));
      return button;
    }),
    ...(rest > 0 ? [html("span", swatch(HUES), plural(rest, "other"))] : []),
  ];
}

/** Give an element the hue of a scope by its place, or none of its own to the scopes after those that have one. */
function paint<E extends HTMLElement | SVGElement>(element: E, place: number): E {
  element.dataset["scopeHue"] = String(Math.min(place, HUES));
  if (place < HUES) element.style.setProperty("--scope", `var(--hue-${place})`);
  return element;
}

export function eraseHue(group: SVGElement): void {
  delete group.dataset["scopeHue"];
  group.style.removeProperty("--scope");
}

const swatch = (place: number): HTMLElement => paint(html("i.adviz-swatch"), place);

/** The scope directly inside the opened one that an item is in; null for what is in the opened one itself. */
function innerScope({ columns, scopes }: Graph, opened: number, { node, span }: Item): { key: string; name: string } | null {
  let scope = span ? span[0] : node === null ? opened : columns.scope[node]!;
  while (scope > opened && scopes.parent(scope) > opened) scope = scopes.parent(scope);
  if (scope <= opened) return null;
  const isPart = ["iteration", "part"].includes(scopes.kind(scope));
  const group = columns.scope_group[scope]!;
  return isPart
    ? { key: `scope ${scope}`, name: scopes.label(scope) }
    : { key: `group ${group}`, name: scopes.groups[group]?.[0] ?? scopes.label(scope) };
}
