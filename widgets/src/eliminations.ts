// The bundle of eliminations. The default export is anywidget's, `mount` is for saved pages.

import { mounts } from "./hosts/page.js";
import type { ViewOf } from "./hosts/view.js";
import { renders } from "./hosts/widget.js";
import { ELIMINATIONS } from "./player/elimination-kit.js";
import { Player } from "./player/player.js";
import { readShow } from "./scene/scene.js";

const viewOf: ViewOf = (host) => new Player(host, readShow(host.scene), ELIMINATIONS);

export const mount = mounts(viewOf);
export default { render: renders(viewOf) };
