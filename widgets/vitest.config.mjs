import { readFileSync } from "node:fs";

// A style sheet is text here, as esbuild's "text" loader makes it in the bundle (build.mjs).
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

export default { plugins: [cssAsText], test: { environment: "happy-dom", include: ["src/**/*.test.ts"] } };
