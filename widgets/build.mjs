// Bundle graphs, sweeps and eliminations into an ES module each for the Python package: a notebook or page holds only what it shows.
// A fourth bundle, a script, draws the pictures of files without a page. Run by `npm run build` and by the package build
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

// The style sheet travels inside the module, so that a saved notebook or page needs nothing else: compressed as pages
// compress the module itself, to a third.
const stylesCompressed = {
  name: "styles-compressed",
  async load(path) {
    if (!/styles\.ts$/.test(path)) return null;
    const { output, watchFiles } = await bundled({ input: path, plugins: [cssAsText] });
    for (const file of watchFiles) this.addWatchFile(file);
    const { styles } = await import(`data:text/javascript,${encodeURIComponent(output[0].code)}`);
    const { code } = transform({ filename: "styles.css", code: Buffer.from(styles), minify: true });
    return `
      const bytes = Uint8Array.from(atob("${gzipSync(code, { level: 9 }).toString("base64")}"), (character) => character.charCodeAt(0));
      const text = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
      export const styles = await new Response(text).text();`;
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

const options = Object.entries({ graphs: "esm", sweeps: "esm", eliminations: "esm", pictures: "iife" }).map(([name, format]) => ({
  input: `src/${name}.ts`,
  plugins: [stylesCompressed, sayWhatIsWritten],
  transform: { target: "es2022" },
  output: { file: `../adviz/static/${name}.js`, format, minify: true, comments: false },
}));

if (process.argv.includes("--watch")) watch(options);
else {
  for (const each of options) {
    const bundle = await rolldown(each);
    await bundle.write(each.output);
  }
}
