import { readFileSync } from "node:fs";

// A style sheet is text here, as it is in the bundle (build.mjs).
const cssAsText = {
  name: "css-as-text",
  enforce: "pre",
  resolveId(source, importer) {
    return source.endsWith(".css") && importer ? `\0${new URL(source, `file://${importer}`).pathname}.text` : null;
  },
  load(id) {
    return id.startsWith("\0") && id.endsWith(".css.text")
      ? `export default ${JSON.stringify(readFileSync(id.slice(1, -".text".length), "utf8"))};`
      : null;
  },
};

// The files share a page and what they import, which saves most of the time; each cleans up behind itself.
export default {
  plugins: [cssAsText],
  test: { environment: "happy-dom", include: ["src/**/*.test.ts"], isolate: false, testTimeout: 120_000 },
};
