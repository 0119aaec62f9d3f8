// The style sheets of what only the bundle of eliminations shows, as one text; compressed in the bundle, as styles.ts is.

import algebra from "./algebra.css";
import elimination from "../styles/elimination.css";

export const styles = `.adviz{${elimination}${algebra}}`;
