// Builds the two scripts and copies htmx beside them. With a folder as argument, writes there instead;
// `--test` builds into dist/ what the tests run.
import { build } from "esbuild";
import { copyFile, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const testing = process.argv[2] === "--test";
const out = testing ? join(here, "dist") : (process.argv[2] ?? join(here, "../server/web/static"));
const vendored = {
  "htmx.min.js": "node_modules/htmx.org/dist/htmx.min.js",
  "sse.min.js": "node_modules/htmx-ext-sse/dist/sse.min.js",
};

await build({
  absWorkingDir: here,
  entryPoints: { widget: "src/index.ts", chat: "src/chat.ts" },
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  legalComments: "none",
  outdir: out,
  logLevel: "warning",
});
await mkdir(join(out, "vendor"), { recursive: true });
for (const [name, source] of Object.entries(vendored)) {
  await copyFile(join(here, source), join(out, "vendor", name));
}
if (testing) {
  await build({ absWorkingDir: here, entryPoints: ["src/messages.ts"], format: "esm", outdir: out, logLevel: "warning" });
}
