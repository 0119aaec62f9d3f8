// The bundle's two doors: the default export is anywidget's, `mount` is for saved pages.

import { render } from "./widget.js";

export { mount } from "./page.js";
export default { render };
