// Bundles into dist/ the program; the stdio MCP server for itself, whose chunks load on demand, so that it answers before the rest is read;
// and that server as one file for machines that have nothing but Node.
import { build } from 'esbuild';
import { copyFileSync, cpSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { dirname, join } from 'node:path';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, 'dist');
const fresh = join(root, `dist.${process.pid}`);

/** Both MCP SDKs load Ajv for a default that every server of ours replaces: a third of what an assistant's start would read. */
const withoutAjv = {
  name: 'without-ajv',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /ajv-?[Pp]rovider/ }, () => ({ path: 'ajv-provider', namespace: 'left-out' }));
    const refusal = "constructor() { throw new Error('A default validator is not part of this program.'); }";
    const contents = `class None { ${refusal} } export { None as AjvJsonSchemaValidator, None as n };`;
    onLoad({ filter: /.*/, namespace: 'left-out' }, () => ({ contents }));
  },
};

// CommonJS packages in an ES module bundle still call require for Node's own modules, and ssh2 looks where its file lies.
const banner =
  "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url); const __bundleDir = import.meta.dirname;";
const shape = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  define: { __dirname: '__bundleDir' },
  plugins: [withoutAjv],
  logLevel: 'warning',
};

const inChunks = { ...shape, outdir: fresh, splitting: true, sourcemap: true };
await build({
  ...inChunks,
  entryPoints: { onair: join(root, 'bin', 'main.ts') },
  banner: { js: banner },
  // The native parts of ssh2 are optional: without them Node's own crypto does the work.
  // A package that brings a binary finds it only beside itself.
  external: ['pino-pretty', 'cpu-features', '@napi-rs/canvas', '*.node'],
});
// Not a second entry of the same build: what it needs would lie in twice as many chunks, and each costs its start half a millisecond.
await build({
  ...inChunks,
  entryPoints: { mcp: join(root, 'bin', 'mcp-alone.ts') },
  banner: { js: banner },
});
// .mjs: where it is copied to, no package.json says that it is a module.
await build({
  ...shape,
  entryPoints: [join(root, 'bin', 'mcp-alone.ts')],
  outfile: join(fresh, 'onair-mcp.mjs'),
  banner: { js: `#!/usr/bin/env node\n${banner}` },
});
mkdirSync(join(fresh, 'web'), { recursive: true });
cpSync(join(root, 'web'), join(fresh, 'web'), { recursive: true });
copyFileSync(join(root, 'node_modules', 'hls.js', 'dist', 'hls.min.js'), join(fresh, 'web', 'hls.js'));

// A program that runs may still load a chunk: chunks carry a hash of their content, so old ones stay a day, and the entries come last.
const DAY_MS = 86_400_000;
mkdirSync(dist, { recursive: true });
for (const name of readdirSync(dist)) {
  if (/-[0-9A-Z]{8}\.js(\.map)?$/u.test(name) && Date.now() - statSync(join(dist, name)).mtimeMs > DAY_MS)
    rmSync(join(dist, name));
}
const entries = ['onair.js', 'mcp.js'];
cpSync(fresh, dist, { recursive: true, filter: (from) => !entries.some((entry) => from === join(fresh, entry)) });
for (const entry of entries) renameSync(join(fresh, entry), join(dist, entry));
rmSync(fresh, { recursive: true, force: true });
