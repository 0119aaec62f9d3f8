// The bundle of graphs and their sweeps: a Scene is shown by the Player where it has runs, and else by the Explorer.
// The default export is anywidget's, `mount` is for saved pages.

import { Explorer } from "./explorer/explorer.js";
import { mounts } from "./hosts/page.js";
import type { ViewOf } from "./hosts/view.js";
import { renders } from "./hosts/widget.js";
import { Player } from "./player/player.js";
import { SWEEPS } from "./player/sweep-kit.js";
import { isShow, readScene } from "./scene/scene.js";

const viewOf: ViewOf = (host) => {
  const scene = readScene(host.scene);
  return isShow(scene) ? new Player(host, scene, SWEEPS) : new Explorer(host);
};

export const mount = mounts(viewOf);
export default { render: renders(viewOf) };
