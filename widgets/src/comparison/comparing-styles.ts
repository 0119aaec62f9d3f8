// The style sheet of what only two graphs laid over each other have, as one text; compressed in the bundle, as styles.ts is.

import comparing from "./comparing.css";

export const styles = `.adviz{${comparing}}`;
