// A Scene is shown by the Player where it has runs, and else by the Explorer.

import { Explorer } from "../explorer/explorer.js";
import type { PlayerHost } from "../host.js";
import { Player } from "../player/player.js";
import { isShow, readScene } from "../scene/scene.js";

export interface View {
  readonly element: HTMLElement;
  /** Receives keys as long as nothing on the page has the focus. */
  readonly keyboard: Element;
  dispose(): void;
}

/** Throws SceneError when the host's documents are not what the front end reads. */
export function viewOf(host: PlayerHost): View {
  const scene = readScene(host.scene);
  return isShow(scene) ? new Player(host, scene) : new Explorer(host);
}
