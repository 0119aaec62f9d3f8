// The bundle's two entry points: the default export is anywidget's, `mount` is for saved pages.

import { render } from "./hosts/widget.js";

export { mount } from "./hosts/page.js";
export default { render };
