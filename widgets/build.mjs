// Bundle src/index.ts into one ES module for the Python package. Run by `npm run build` and by the package build (hatch_build.py).
import { readFile } from "node:fs/promises";
import { build, transform } from "esbuild";

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

const { metafile } = await build({
  entryPoints: ["src/index.ts"],
  outfile: "../adviz/static/adviz.js",
  bundle: true,
  format: "esm",
  target: "es2022",
  minify: true,
  plugins: [cssAsText],
  // The module is copied into saved pages; characters outside ASCII would depend on the page's encoding.
  charset: "ascii",
  legalComments: "none",
  metafile: true,
  logLevel: "warning",
}).catch(() => process.exit(1)); // esbuild has said why

for (const [file, { bytes }] of Object.entries(metafile.outputs))
  console.log(`${file} ${(bytes / 1000).toFixed(1)} kB`);
