// The bundle of graphs. The default export is anywidget's, `mount` is for saved pages.

import { Explorer } from "./explorer/explorer.js";
import { mounts } from "./hosts/page.js";
import type { ViewOf } from "./hosts/view.js";
import { renders } from "./hosts/widget.js";

const viewOf: ViewOf = (host) => new Explorer(host);

export const mount = mounts(viewOf);
export default { render: renders(viewOf) };
