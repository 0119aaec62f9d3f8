// What an entry point makes of a host, and what it says where it cannot.

import type { PlayerHost } from "../host.js";
import { html } from "../ui/dom.js";

export interface View {
  readonly element: HTMLElement;
  /** Receives keys as long as nothing on the page has the focus. */
  readonly keyboard: Element;
  dispose(): void;
}

/** Throws SceneError when the host's documents are not what the front end reads. */
export type ViewOf = (host: PlayerHost) => View;

/** Say in place of a view why there is none; returns how to take that away. */
export function refused(element: Element, error: unknown): () => void {
  element.append(html("pre", { role: "alert" }, `adviz cannot show this graph. ${(error as Error).message}`));
  return () => element.replaceChildren();
}
