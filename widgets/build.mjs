// Bundle src/index.ts into one ES module for the Python package. Run by `npm run build` and by the package build
// (hatch_build.py); `npm run watch` bundles again whenever a source is saved.
import { readFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import { transform } from "lightningcss";
import { rolldown, watch } from "rolldown";

const cssAsText = {
  name: "css-as-text",
  async load(path) {
    if (!path.endsWith(".css")) return null;
    const text = await readFile(path, "utf8");
    return { code: `export default ${JSON.stringify(text)};`, moduleType: "js" };
  },
};

// The style sheet and the shapes of the Scene travel inside the module, so that a saved notebook or page needs nothing else:
// compressed as pages compress the module itself, to a third and less.
const COMPRESSED = {
  "styles/styles.ts": ({ styles }) => ({
    text: transform({ filename: "styles.css", code: Buffer.from(styles), minify: true }).code,
    code: "export const styles = await text;",
  }),
  "scene/document.ts": ({ shapes }) => ({
    text: JSON.stringify(named(shapes, ["GraphPanel", "Scene", "Show"])),
    code: "export const shapes = JSON.parse(await text);\nexport const { GraphPanel, Scene, Show } = shapes;",
  }),
};

/** The shapes that others are made of, each named where it is part of another. */
function named(shapes, names) {
  const found = {};
  const part = (shape) => {
    const name = Object.keys(shapes).find((each) => shapes[each] === shape);
    return name ? (add(name), ["later", name]) : parts(shape);
  };
  const parts = (shape) => {
    if (Array.isArray(shape)) return shape.map(part);
    return shape && typeof shape === "object" ? Object.fromEntries(Object.entries(shape).map(([key, each]) => [key, part(each)])) : shape;
  };
  const add = (name) => {
    if (name in found) return;
    found[name] = null; // under way: a shape may hold itself
    found[name] = parts(shapes[name]);
  };
  names.forEach(add);
  return found;
}

const compressed = {
  name: "compressed",
  async load(path) {
    const name = Object.keys(COMPRESSED).find((each) => path.replaceAll("\\", "/").endsWith(`/src/${each}`));
    if (!name) return null;
    const { output, watchFiles } = await bundled({ input: path, plugins: [cssAsText] });
    for (const file of watchFiles) this.addWatchFile(file);
    const { text, code } = COMPRESSED[name](await import(`data:text/javascript,${encodeURIComponent(output[0].code)}`));
    const base64 = gzipSync(text, { level: 9 }).toString("base64");
    return { code: `import { inflate } from "../ui/inflate.js";\nconst text = inflate("${base64}");\n${code}`, moduleType: "js" };
  },
};

async function bundled(options) {
  const bundle = await rolldown(options);
  const { output } = await bundle.generate();
  return { output, watchFiles: await bundle.watchFiles };
}

const kB = (bytes) => `${(bytes / 1000).toFixed(1)} kB`;

const sayWhatIsWritten = {
  name: "say-what-is-written",
  writeBundle({ file }, written) {
    for (const { code } of Object.values(written)) {
      const text = Buffer.from(code);
      console.log(`${file} ${kB(text.length)}, compressed ${kB(gzipSync(text, { level: 9 }).length)}`);
    }
  },
};

const options = {
  input: "src/index.ts",
  plugins: [compressed, sayWhatIsWritten],
  transform: { target: "es2022" },
  output: { file: "../adviz/static/adviz.js", format: "esm", minify: true, comments: false },
};

if (process.argv.includes("--watch")) watch(options);
else {
  const bundle = await rolldown(options);
  await bundle.write(options.output);
}
