// The style sheets of the Explorer and the Player as one text; the order is that of the cascade.

import arithmetic from "./arithmetic.css";
import base from "./base.css";
import compiled from "./compiled.css";
import controls from "./controls.css";
import elimination from "./elimination.css";
import frame from "./frame.css";
import legend from "./legend.css";
import matrix from "./matrix.css";
import narrow from "./narrow.css";
import panels from "./panels.css";
import picture from "./picture.css";
import player from "./player.css";
import source from "./source.css";
import tables from "./tables.css";

/** All but the base are nested, so that they reach nothing outside an explorer: still pictures have some of its classes. */
export const styles = `${base}.adviz{${[frame, picture, legend, panels, source, compiled, tables, matrix, arithmetic, controls, player, elimination, narrow].join("")}}`;
