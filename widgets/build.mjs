// Bundle src/index.ts into one ES module for the Python package. Run by `npm run build` and by the package build (hatch_build.py).
import { build } from "esbuild";

const { metafile } = await build({
  entryPoints: ["src/index.ts"],
  outfile: "../adviz/static/adviz.js",
  bundle: true,
  format: "esm",
  target: "es2022",
  minify: true,
  // The style sheet travels inside the module, so that a saved notebook or page needs nothing else.
  loader: { ".css": "text" },
  // The module is copied into saved pages; characters outside ASCII would depend on the page's encoding.
  charset: "ascii",
  legalComments: "none",
  metafile: true,
  logLevel: "warning",
}).catch(() => process.exit(1)); // esbuild has said why

for (const [file, { bytes }] of Object.entries(metafile.outputs)) console.log(`${file} ${(bytes / 1000).toFixed(1)} kB`);
