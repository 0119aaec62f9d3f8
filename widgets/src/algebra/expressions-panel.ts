// A set of expressions, set as mathematics: brackets in brackets, each of which can be pointed at.

import { type Lit, Linked, lit } from "./linked.js";
import { Tree } from "./tree.js";
import type { Moment, PanelContext, PlayerPanel } from "../panels/panel.js";
import type { ExpressionsPanel as Description, WrittenRow } from "../scene/document.js";
import { html, setAttribute } from "../ui/dom.js";
import { plural } from "../ui/format.js";

type Kind = "product" | "sum" | "letter" | "reference";
/** What a part of an expression stands for. */
interface Meant {
  readonly lit: Lit;
  readonly name: string;
  readonly edge: string;
}

export class ExpressionsPanel implements PlayerPanel {
  readonly element: HTMLElement;
  readonly size = { width: 420, height: 150 };
  readonly #cost = html("p.adviz-cost");
  readonly #tree: Tree;
  readonly #linked: Linked;
  #meant = new Map<HTMLElement, Meant>();
  #cursor = -1;

  constructor(
    readonly description: Description,
    { scene, signal }: PanelContext,
  ) {
    this.#linked = Linked.of(scene);
    this.#linked.hear((shown) => this.#light(shown), signal);
    this.#tree = new Tree("div.adviz-formulas", "Expressions", this.#linked, signal, (item) => this.#meant.get(item)?.lit ?? null);
    this.element = html("div.adviz-expressions", html("h4", "Expressions"), this.#cost, this.#tree.element);
  }

  show({ cursor, step }: Moment): void {
    if (cursor === this.#cursor) return;
    this.#cursor = cursor;
    const { bauer, optimum, sets } = this.description;
    const { rows, multiplications, page } = sets[cursor]!;
    const best = optimum && `${optimum.proved ? "proved best" : "best found"} ${optimum.multiplications}`;
    const whole = [` · Bauer's formula ${bauer}`, best].filter(Boolean).join(" · ");
    this.#cost.replaceChildren(html("strong", `${page ? `Page ${page}: ` : ""}${plural(multiplications, "multiplication")}`), whole);
    // The page that a step takes out stays lit.
    if (sets.some((each) => each.page)) this.#linked.keep(lit((step?.focus ?? []).map((key) => key.slice("edge/".length))));
    this.#meant = new Map();
    this.#tree.fill(...rows.map((row) => this.#row(row, rows)));
    this.#light(this.#linked.lit);
  }

  mark(): void {}

  // ---- what is written ----

  #row({ name, kind, edges, parts }: WrittenRow, rows: readonly WrittenRow[]): HTMLElement {
    const all = parts.flatMap(([, , , edge]) => (edge ? [edge] : []));
    const uses = kind === "reference" ? [...edges, ...edgesOf(name, rows)] : all;
    const head = leaf(kind, name);
    this.#know(head, { lit: lit(uses, kind === "reference" ? [name] : []), name: nameOf(kind, name), edge: "" });
    const whole = html("div.adviz-formula-row", { role: "group", "aria-label": nameOf(kind, name) });
    const made: HTMLElement[] = [];
    parts.forEach(([sort, of, text, edge], k) => {
      const part = this.#part(sort as Kind, text, k, parts);
      made.push(part);
      this.#know(part, { lit: this.#litOf(k, parts, rows), name: nameOf(sort as Kind, text), edge });
      const parent = made[of]?.firstElementChild;
      if (!parent) return;
      if (parent.childElementCount || parent.textContent) parent.append(parts[of]![0] === "sum" ? " + " : "\u202f");
      parent.append(part);
    });
    whole.append(html("span.adviz-formula-line", { role: "none" }, head, html("span", " = "), made[0]!));
    return whole;
  }

  /** A letter or a name, or a place for parts; a sum or a product in a product stands in brackets. */
  #part(kind: Kind, text: string, k: number, parts: WrittenRow["parts"]): HTMLElement {
    if (kind === "letter" || kind === "reference") return leaf(kind, text);
    const [, of] = parts[k]!;
    const isBracketed = of >= 0 && parts[of]![0] === "product";
    const inside = html("span", { role: "group" });
    const item = html("span.adviz-part-of", { role: "treeitem", "data-sort": kind });
    item.append(...(isBracketed ? ["(", inside, ")"] : [inside]));
    return item;
  }

  /** The edges of all letters in a part; of a reference all its uses. */
  #litOf(k: number, parts: WrittenRow["parts"], rows: readonly WrittenRow[]): Lit {
    const [kind, , text, edge] = parts[k]!;
    if (kind === "letter") return lit(edge ? [edge] : [], [`e${text}`]);
    if (kind === "reference") return lit(edgesOf(text, rows), [text]);
    const isInside = (at: number): boolean => at >= 0 && (at === k || isInside(parts[at]![1]));
    const inside = parts.filter((_, at) => isInside(at));
    return lit(
      inside.flatMap(([, , , each]) => (each ? [each] : [])),
      inside.flatMap(([sort, , name, each]) => (each || sort === "product" || sort === "sum" ? [] : [nameOf(sort as Kind, name)])),
    );
  }

  #know(element: HTMLElement, meant: Meant): void {
    this.#meant.set(element, meant);
  }

  // ---- pointing ----

  #light(shown: Lit): void {
    for (const [element, { lit: own, name, edge }] of this.#meant) {
      setAttribute(element, "data-lit", shown.names.has(name) || shown.edges.has(edge));
      setAttribute(element, "data-whole", own === shown && !name);
    }
  }
}

const nameOf = (kind: Kind, text: string): string => (kind === "letter" ? `e${text}` : kind === "reference" ? text : "");

/** The edges of the picture that stand for a reference. */
const edgesOf = (name: string, rows: readonly WrittenRow[]): string[] =>
  rows.flatMap((row) => (row.kind === "reference" && row.name === name ? row.edges : []));

/** "e" with its index, or "X" with its number. */
function leaf(kind: Kind, text: string): HTMLElement {
  const [letter, index] = kind === "letter" ? ["e", text] : [text.replace(/\d+$/, ""), /\d*$/.exec(text)![0]];
  return html("span.adviz-letter", { role: "treeitem", "data-sort": kind }, html("i", letter), html("sub", index));
}
