// The style sheet of what only shows of op graphs have, as one text; compressed in the bundle, as styles.ts is.

import ops from "./ops.css";

export const styles = `.adviz{${ops}}`;
