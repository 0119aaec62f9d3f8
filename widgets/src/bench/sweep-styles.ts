// The style sheets of what only the bundle of sweeps shows, as one text; compressed in the bundle, as styles.ts is.

import bench from "./bench.css";
import ops from "../ops/ops.css";

export const styles = `.adviz{${ops}${bench}}`;
