// The style sheets of the Explorer and the Player as one text; the order is that of the cascade. The bundle has it
// compressed (build.mjs).

import base from "./base.css";
import beside from "./beside.css";
import comparing from "./comparing.css";
import controls from "./controls.css";
import flow from "./flow.css";
import frame from "./frame.css";
import narrow from "./narrow.css";
import panels from "./panels.css";
import picture from "./picture.css";
import player from "./player.css";
import presenting from "./presenting.css";
import source from "./source.css";
import tables from "./tables.css";

/** Several Explorers of a page have a copy each, of which the last one decides: what must win is in every copy.
 * All but the base are nested, so that they reach nothing outside an explorer: still pictures have some of its classes. */
export const styles = `${base}.adviz{${[frame, picture, panels, source, tables, controls, player, presenting, flow, beside, narrow, comparing].join("")}}`;
