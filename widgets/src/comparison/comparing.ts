// Two graphs laid over each other: a slider from one to the other, what differs as buttons and as a list, and signs in
// the picture and beside the source. What only one graph has fades towards the other.

import { sourced } from "../graph/compiled.js";
import type { Graph } from "../graph/graph.js";
import { Source, type SourceActions } from "../panels/source.js";
import type { Samples } from "../picture/legend.js";
import type { Picture } from "../picture/picture.js";
import { stateOf as paintOf } from "../picture/paints.js";
import { badgeMarks, changeMarks, wordMarks } from "../picture/shapes.js";
import type { ComparisonPanel, Detail, DifferenceKind, Item } from "../scene/scene.js";
import { closest, dataOf, html, listen, setAttribute } from "../ui/dom.js";
import { bytes, count, plural } from "../ui/format.js";

/** The slider's ends and its middle, where both graphs are seen. */
const [BEFORE, BOTH, AFTER] = [0, 50, 100];
/** So far from an end the words are those of one graph. */
const NEAR = 25;
/** What is not in a graph is seen so much at its end. */
const FAINTEST = 0.1;
const SIGNS = ["+", "−", "≠"];
const STATES = ["added", "removed", "moved"];
const WRITE: Record<string, (value: number) => string> = { "bytes held": bytes };

/** What a place on the slider shows: one of the graphs, or both. */
type Standing = "before" | "both" | "after";

/** How much is seen of what only one graph has. */
export const opacity = (side: "before" | "after", place: number): number => {
  const share = side === "before" ? (AFTER - place) / BOTH : place / BOTH;
  return FAINTEST + (1 - FAINTEST) * Math.min(1, Math.max(0, share));
};

export const standing = (place: number): Standing => (place < NEAR ? "before" : place > AFTER - NEAR ? "after" : "both");

/** What it may ask of who shows the picture. */
interface ComparingActions extends SourceActions {
  show(node: number): void;
  /** Select nodes without turning away from the list. */
  mark(nodes: readonly number[]): void;
}

export class Comparing {
  /** Above the picture. */
  readonly strip: HTMLElement;
  /** The list of what differs. */
  readonly element: HTMLElement;
  readonly sources: readonly Source[];
  readonly keys = [
    ["n", "next difference"],
    ["p", "previous difference"],
  ] as const;
  readonly #slider: HTMLInputElement;
  readonly #turn = html("span.adviz-compare-turn", { "aria-live": "polite" });
  #picture: Picture | null = null;
  /** The differences that the reader steps through, and which one is looked at. */
  #walked: readonly number[];
  #at = -1;

  constructor(
    readonly graph: Graph,
    readonly panel: ComparisonPanel,
    readonly actions: ComparingActions,
    signal: AbortSignal,
  ) {
    const { before, after, kinds, note } = panel;
    this.#slider = html("input", {
      type: "range",
      min: BEFORE,
      max: AFTER,
      step: 1,
      value: BOTH,
      "aria-label": `From ${before.label} to ${after.label}`,
    });
    const button = (place: number, words: string, title: string): HTMLElement =>
      html("button.adviz-compare-end", { "data-place": place, title: words === title ? title : `${words}: ${title}` }, words);
    const step = (by: number, sign: string, name: string): HTMLElement =>
      html("button.adviz-step", { "data-by": by, "aria-label": name, title: name, disabled: !kinds.length }, sign);
    this.strip = html(
      "div.adviz-compare",
      { role: "group", "aria-label": "Comparison" },
      html(
        "div.adviz-compare-way",
        button(BEFORE, before.label, before.title),
        this.#slider,
        button(AFTER, after.label, after.title),
      ),
      html("div.adviz-compare-kinds", ...kinds.map((kind, k) => this.#chip(kind, k))),
      html("div.adviz-stepper", step(-1, "‹", "Previous difference (p)"), this.#turn, step(1, "›", "Next difference (n)")),
    );
    this.element = html("div.adviz-compared", html("p", note), this.#sizes(), ...kinds.map((kind, k) => this.#list(kind, k)));
    this.#walked = this.#marked();
    this.sources = this.#sourcesOf(signal);
    this.#tell();
    listen(this.#slider, signal, { input: () => this.#stand() });
    const act = { click: (event: Event) => this.#click(event) };
    listen(this.strip, signal, act);
    listen(this.element, signal, act);
  }

  /** What the colors and signs say. */
  get legend(): Samples {
    const sample = (state: string, sign: string, words: string) => [html("b.adviz-sign", { "data-state": state }, sign), words] as const;
    return [
      "Differences",
      [
        sample("added", "+", `only in ${this.panel.after.label}`),
        sample("removed", "−", `only in ${this.panel.before.label}`),
        sample("changed", "≠", "in both, but not the same"),
        sample("changed", "+2 ≠1", "so many in a folded box"),
      ],
    ];
  }

  /** Show another picture as the slider stands. */
  show(picture: Picture): void {
    this.#picture = picture;
    for (const item of picture.panel.nodes) this.#draw(picture, item);
    for (const { key, sides } of picture.panel.edges) {
      const only = sides && (sides[0] ? (sides[1] ? null : "before") : "after");
      setAttribute(picture.edge(key)!, "data-only", only ?? null);
    }
    this.#stand();
  }

  /** Look at the difference before or after the one that is looked at. */
  step(by: number): void {
    const { length } = this.#walked;
    if (!length) return;
    this.#at = (this.#at < 0 && by < 0 ? length - 1 : this.#at + by + length) % length;
    this.#tell();
    const node = this.#walked[this.#at]!;
    this.actions.select([node]);
    this.actions.show(node);
  }

  #marked(): number[] {
    const bits = this.panel.kinds.reduce((sum, { sign, bit }) => sum | (sign ? bit : 0), 0);
    return this.#of(bits);
  }

  #of(bits: number): number[] {
    return this.graph.where((node) => (this.graph.columns.differences[node]! & bits) !== 0);
  }

  #chip({ kind, sign, words, count: many }: DifferenceKind, k: number): HTMLElement {
    const name = `${count(many)} ${kind}`;
    return html(
      "button.adviz-compare-kind",
      { "data-kind": k, "data-state": stateOf(kind), "aria-pressed": "false", title: `${name}: ${words}` },
      sign ? html("b", { "aria-hidden": "true" }, sign) : null,
      name,
    );
  }

  #sizes(): HTMLElement {
    const { before, after, sizes } = this.panel;
    const write = (name: string, value: number): string => (WRITE[name] ?? count)(value);
    const rows = sizes.map(([name, one, other]) =>
      html("tr", html("th", { scope: "row" }, name), html("td", write(name, one)), html("td", { "data-grown": Math.sign(other - one) }, write(name, other))),
    );
    const head = html("tr", html("td"), html("th", { scope: "col" }, before.label), html("th", { scope: "col" }, after.label));
    return html("table.adviz-compare-sizes", html("thead", head), html("tbody", ...rows));
  }

  #list({ kind, sign, words, groups, more }: DifferenceKind, k: number): HTMLElement {
    const rows = groups.map(({ words: said, count: many }, g) =>
      html("li", html("button.adviz-link", { "data-kind": k, "data-group": g }, many > 1 ? `${count(many)} × ${said}` : said)),
    );
    const rest = more ? html("li.adviz-muted", `and ${plural(more, "more kind")}`) : null;
    return html(
      "section.adviz-section",
      html("h4", { "data-state": stateOf(kind) }, sign ? html("b", `${sign} `) : null, `${kind}: ${words}`),
      html("ul", ...rows, rest),
    );
  }

  #click(event: Event): void {
    const [place, by, kind, group] = ["place", "by", "kind", "group"].map((name) => dataOf(event, name));
    if (place !== undefined) {
      this.#slider.value = place;
      this.#stand();
    } else if (by !== undefined) this.step(Number(by));
    else if (kind !== undefined) this.#choose(this.panel.kinds[Number(kind)]!, group, closest(event, "[data-kind]")!);
  }

  /** Select the nodes of a kind, or of a group of it; the reader then steps through these. */
  #choose(kind: DifferenceKind, group: string | undefined, button: Element): void {
    this.#walked = group === undefined ? this.#of(kind.bit) : kind.groups[Number(group)]!.nodes;
    this.#at = -1;
    for (const each of this.strip.querySelectorAll("[data-kind]")) setAttribute(each, "aria-pressed", String(each === button));
    this.#tell();
    this.actions.mark(this.#walked);
    if (this.#walked.length) this.actions.show(this.#walked[0]!);
  }

  #tell(): void {
    const { length } = this.#walked;
    this.#turn.textContent = this.#at < 0 ? plural(length, "difference") : `${count(this.#at + 1)} of ${count(length)}`;
  }

  /** Let the picture be what the slider says. */
  #stand(): void {
    const place = Number(this.#slider.value);
    const { before, after } = this.panel;
    const now = standing(place);
    const words = { before: before.label, both: `${before.label} and ${after.label}`, after: after.label }[now];
    setAttribute(this.#slider, "aria-valuetext", words);
    for (const end of this.strip.querySelectorAll("[data-place]"))
      setAttribute(end, "aria-pressed", String(end.getAttribute("data-place") === String(place)));
    const picture = this.#picture;
    if (!picture) return;
    picture.element.style.setProperty("--in-before", opacity("before", place).toFixed(3));
    picture.element.style.setProperty("--in-after", opacity("after", place).toFixed(3));
    if (picture.element.dataset["standing"] !== now || !picture.world.hasAttribute("data-written")) this.#write(picture, now);
  }

  #write(picture: Picture, now: Standing): void {
    setAttribute(picture.element, "data-standing", now);
    setAttribute(picture.world, "data-written", "");
    for (const item of picture.panel.nodes) {
      const { label, detail, uses } = now === "both" ? item : (item.sides?.[now === "before" ? 0 : 1] ?? item);
      const seen = { ...item, label, detail, uses };
      picture.put(item.key, { words: wordMarks(seen, item.dead), badge: badgeMarks(seen) });
    }
    picture.fitWords();
  }

  #draw(picture: Picture, item: Item): void {
    const { key, change, sides } = item;
    const group = picture.node(key)!;
    setAttribute(group, "data-only", sides ? (sides[0] ? (sides[1] ? null : "before") : "after") : null);
    setAttribute(group, "data-change", change?.state ?? null);
    picture.put(key, { more: changeMarks(item, paintOf(item)) });
  }

  // ---- the source ----

  /** The source of both graphs where it differs, else once; lines are marked by what became of their nodes. */
  #sourcesOf(signal: AbortSignal): readonly Source[] {
    const { before, after } = this.panel;
    const isSame = JSON.stringify(before.files) === JSON.stringify(after.files);
    if (isSame) return [this.#source(this.graph, signal, "Source")];
    const { span_before, span_after } = this.graph.columns;
    return [
      this.#source(sourced(this.graph, after, span_after), signal, after.label),
      this.#source(sourced(this.graph, before, span_before), signal, before.label),
    ];
  }

  #source(graph: Graph, signal: AbortSignal, title: string): Source {
    const source = new Source(graph, this.actions, signal, title);
    source.sign(signsOf(graph, this.panel.kinds));
    return source;
  }
}

const stateOf = (kind: string): string => (STATES.includes(kind) ? kind : "changed");

/** Signs of lines, by files and lines: of nodes that were added, removed or changed there. */
export function signsOf(graph: Graph, kinds: readonly DifferenceKind[]): Map<string, string> {
  const found = new Map<string, Set<string>>();
  for (let node = 0; node < graph.size; node++) {
    const span = graph.columns.differences[node] ? graph.span(node) : null;
    if (!span) continue;
    const line = `${span[0]}:${span[1]}`;
    const signs = found.get(line) ?? new Set();
    for (const { bit, sign } of kinds) if (sign && graph.columns.differences[node]! & bit) signs.add(sign);
    found.set(line, signs);
  }
  return new Map([...found].filter(([, signs]) => signs.size).map(([line, signs]) => [line, SIGNS.filter((sign) => signs.has(sign)).join("")]));
}

/** What differs of a node, as the inspector says it. */
export function differencesOf(graph: Graph, { kinds, before, after }: ComparisonPanel, { node, differences }: Detail): HTMLElement | null {
  const own = kinds.filter(({ bit }) => graph.columns.differences[node]! & bit);
  if (!own.length) return null;
  const words: Record<string, string> = { added: `only in ${after.label}`, removed: `only in ${before.label}` };
  const rows = differences?.length ? differences : own.map(({ kind }) => words[kind] ?? kind);
  const isInBoth = own.every(({ kind }) => !words[kind]);
  const rest = isInBoth ? html("li.adviz-muted", `below: as in ${after.label}`) : null;
  return html("section.adviz-section", html("h4", "Difference"), html("ul", ...rows.map((row) => html("li", row)), rest));
}

