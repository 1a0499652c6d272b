// Builds the two scripts. With a folder as argument, writes there instead; `--test` builds into dist/ what the
// tests run. The chat page's script has htmx and its extension for server-sent events before it, as they come.
import { build } from "esbuild";
import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const testing = process.argv[2] === "--test";
const out = testing ? join(here, "dist") : (process.argv[2] ?? join(here, "../server/visitor/static"));
const vendored = ["node_modules/htmx.org/dist/htmx.min.js", "node_modules/htmx-ext-sse/dist/sse.min.js"];

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
const parts = [...vendored.map((path) => join(here, path)), join(out, "chat.js")];
const sources = await Promise.all(parts.map((path) => readFile(path, "utf8")));
await writeFile(join(out, "chat.js"), sources.map((source) => source.trim()).join("\n;"));
if (testing) {
  await build({ absWorkingDir: here, entryPoints: ["src/messages.ts"], format: "esm", outdir: out, logLevel: "warning" });
}
