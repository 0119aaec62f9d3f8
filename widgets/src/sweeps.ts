// The bundle of sweeps and of op graphs. The default export is anywidget's, `mount` is for saved pages.

import { mounts } from "./hosts/page.js";
import type { ViewOf } from "./hosts/view.js";
import { renders } from "./hosts/widget.js";
import { Player } from "./player/player.js";
import { SWEEPS } from "./player/sweep-kit.js";
import { readShow } from "./scene/scene.js";

const viewOf: ViewOf = (host) => new Player(host, readShow(host.scene), SWEEPS);

export const mount = mounts(viewOf);
export default { render: renders(viewOf) };
