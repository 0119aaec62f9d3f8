// A Scene is shown by the Player where it has runs, and else by the Explorer.

import { Explorer } from "../explorer/explorer.js";
import type { PlayerHost } from "../host.js";
import { Player } from "../player/player.js";
import { isShow, readScene } from "../scene/scene.js";
import { html } from "../ui/dom.js";

export interface View {
  readonly element: HTMLElement;
  /** Receives keys as long as nothing on the page has the focus. */
  readonly keyboard: Element;
  dispose(): void;
}

/** Say in place of a view why there is none; returns how to take that away. */
export function refused(element: Element, error: unknown): () => void {
  element.append(html("pre", { role: "alert" }, `adviz cannot show this graph. ${(error as Error).message}`));
  return () => element.replaceChildren();
}

/** Throws SceneError when the host's documents are not what the front end reads. */
export function viewOf(host: PlayerHost): View {
  const scene = readScene(host.scene);
  return isShow(scene) ? new Player(host, scene) : new Explorer(host);
}
