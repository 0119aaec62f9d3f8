// What an entry point makes of a host, and what it says where it cannot.

import type { GraphHost, PlayerHost } from "../host.js";
import { html } from "../ui/dom.js";

export interface View {
  readonly element: HTMLElement;
  /** Receives keys as long as nothing on the page has the focus. */
  readonly keyboard: Element;
  dispose(): void;
}

type AnyHost = GraphHost & PlayerHost;

/** Throws SceneError when the host's documents are not what the front end reads. */
export type ViewOf = (host: AnyHost) => View;

/**
 * Show a view in an element, or say why there is none; returns how to end it. What `begin` does for a view, what it returns
 * ends. `fallback` is the id of the static picture.
 */
export function shown(element: HTMLElement, hostOf: () => AnyHost, viewOf: ViewOf, fallback: string, begin: (view: View) => () => void): () => void {
  let host: AnyHost | undefined;
  try {
    host = hostOf();
    const view = viewOf(host);
    element.append(view.element);
    const showFallback = hideFallback(fallback, element.ownerDocument);
    const end = begin(view);
    return () => {
      end();
      view.dispose();
      showFallback();
    };
  } catch (error) {
    // The static picture stays visible; the reason goes beside it.
    host?.dispose();
    element.append(html("pre", { role: "alert" }, `adviz cannot show this graph. ${(error as Error).message}`));
    return () => element.replaceChildren();
  }
}

/**
 * Every display comes with a static picture as a second output, for when no live view can be shown. While one is alive a
 * style rule hides the picture of this id: it holds whether the picture is on the page already or comes later, each view
 * brings its own rule and takes it away, and nothing needs to be observed or restored. Returns how to show it again.
 */
function hideFallback(id: string, page: Document): () => void {
  if (!id) return () => undefined;
  const rule = page.createElement("style");
  rule.textContent = `[data-adviz-id="${CSS.escape(id)}"] { display: none !important; }`;
  page.head.append(rule);
  return () => rule.remove();
}
