// Bundle src/index.ts into one ES module for the Python package. Run by `npm run build` and by the package build
// (hatch_build.py); `npm run watch` bundles again whenever a source is saved.
import { readFile } from "node:fs/promises";
import { build, context, transform } from "esbuild";

// The style sheet travels inside the module as text, so that a saved notebook or page needs nothing else.
const cssAsText = {
  name: "css-as-text",
  setup({ onLoad }) {
    onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const { code } = await transform(await readFile(path, "utf8"), { loader: "css", minify: true });
      return { contents: code, loader: "text" };
    });
  },
};

const sayWhatIsWritten = {
  name: "say-what-is-written",
  setup({ onEnd }) {
    onEnd(({ metafile }) => {
      for (const [file, { bytes }] of Object.entries(metafile?.outputs ?? {}))
        console.log(`${file} ${(bytes / 1000).toFixed(1)} kB`);
    });
  },
};

const options = {
  entryPoints: ["src/index.ts"],
  outfile: "../adviz/static/adviz.js",
  bundle: true,
  format: "esm",
  target: "es2022",
  minify: true,
  plugins: [cssAsText, sayWhatIsWritten],
  // The module is copied into saved pages; characters outside ASCII would depend on the page's encoding.
  charset: "ascii",
  legalComments: "none",
  metafile: true,
  logLevel: "warning",
};

if (process.argv.includes("--watch")) await (await context(options)).watch();
else await build(options).catch(() => process.exit(1)); // esbuild has said why
