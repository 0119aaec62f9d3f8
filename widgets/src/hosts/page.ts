// The entry point of saved pages: everything is in one embedded document, without kernel or network.

import { type View, type ViewOf, shown } from "./view.js";
import type { GraphHost, PlayerHost, Traits } from "../host.js";
import { LocalTraits } from "../playback/local-traits.js";
import { fromBase64 } from "../scene/base64.js";
import type { Adjoints, Detail, GraphPanel } from "../scene/scene.js";
import { html } from "../ui/dom.js";

/** What a saved page embeds; `columns` is the binary buffer in base64. */
export interface SavedDocument {
  scene: unknown;
  columns: string;
  views?: Record<string, GraphPanel>;
  details?: Record<string, Detail>;
  /** The derivatives of outputs, by their places among those to choose from. */
  adjoints?: Record<string, Adjoints>;
  selection?: number[];
  fallback?: string;
  /** The show of the evaluation of a graph: the fields in which its Scene differs. */
  show?: object | null;
  /** The initial state of a show. */
  traits?: Partial<Traits>;
}

export class PageHost extends LocalTraits implements GraphHost, PlayerHost {
  readonly columns: ArrayBuffer;
  selection: readonly number[];
  readonly play?: () => Promise<object>;
  readonly keep?: () => Promise<void>;

  /** `page` is the text of the page, if it is one that can be saved. */
  constructor(
    readonly saved: SavedDocument,
    page = "",
  ) {
    super(saved.traits);
    if (PLACE.test(page)) this.keep = () => this.#keep(page);
    this.columns = fromBase64(saved.columns).buffer;
    this.selection = saved.selection ?? [];
    const { show } = saved;
    if (show) this.play = async () => show;
  }

  get scene(): unknown {
    return this.saved.scene;
  }

  select(nodes: readonly number[]): void {
    this.selection = nodes;
    this.notify("selection");
  }

  onSelection(listener: (nodes: readonly number[]) => void): () => void {
    return this.hear("selection", () => listener(this.selection));
  }

  async view(scope: number): Promise<GraphPanel> {
    return embedded(this.saved.views?.[scope], "This scope is not in this saved page.");
  }

  async detail(node: number): Promise<Detail> {
    return embedded(this.saved.details?.[node], "Not in this saved page.");
  }

  async adjoints(output: number): Promise<Adjoints> {
    return embedded(this.saved.adjoints?.[output], "The derivatives of this output are not in this saved page.");
  }

  async #keep(page: string): Promise<void> {
    const traits = { ...this.saved.traits, order: this.trait("order") ?? [] };
    const whole = page.replace(PLACE, await packed({ ...this.saved, traits }));
    const href = URL.createObjectURL(new Blob([whole], { type: "text/html" }));
    html("a", { href, download: "order.html" }).click();
    URL.revokeObjectURL(href);
  }
}

/** The element that holds the document of a page. */
const PLACE = /(?<=<script [^>]*id="adviz-document">)[^<]*/;

/** A document as pages embed it: compressed, in base64. */
async function packed(document: SavedDocument): Promise<string> {
  const stream = new Blob([JSON.stringify(document)]).stream().pipeThrough(new CompressionStream("gzip"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

function embedded<T>(found: T | undefined, otherwise: string): T {
  if (found === undefined) throw new Error(otherwise);
  return found;
}

/** On a page with one view, send it the keys until something has the focus; returns how to end that. */
function lendKeys(view: View, page: Document): () => void {
  const lend = (event: KeyboardEvent): void => {
    const [shown, ...others] = page.querySelectorAll(".adviz:not([hidden])");
    if (event.target !== page.body || !shown || !view.element.contains(shown) || others.length) return;
    if (!view.keyboard.dispatchEvent(new KeyboardEvent(event.type, event))) event.preventDefault();
  };
  page.addEventListener("keydown", lend);
  return () => page.removeEventListener("keydown", lend);
}

/** Show a saved document in an element; returns how to end it. */
export const mounts = (viewOf: ViewOf) => (element: HTMLElement, saved: SavedDocument): (() => void) => {
  const page = `<!doctype html>\n${element.ownerDocument.documentElement.outerHTML}`;
  return shown(element, () => new PageHost(saved, page), viewOf, saved.fallback ?? "", (view) => lendKeys(view, element.ownerDocument));
};
