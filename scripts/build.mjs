// Bundles into dist/ the program, as one entry with chunks that load on demand, so that `onair mcp` answers before the rest is read; and
// the stdio MCP server alone, as one file for machines that have nothing but Node.
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

await build({
  ...shape,
  entryPoints: { onair: join(root, 'bin', 'main.ts') },
  outdir: fresh,
  splitting: true,
  sourcemap: true,
  banner: { js: banner },
  // The native parts of ssh2 are optional: without them Node's own crypto does the work.
  // A package that brings a binary finds it only beside itself.
  external: ['pino-pretty', 'cpu-features', '@napi-rs/canvas', '*.node'],
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

// A program that runs may still load a chunk: chunks carry a hash of their content, so old ones stay a day, and the entry comes last.
const DAY_MS = 86_400_000;
mkdirSync(dist, { recursive: true });
for (const name of readdirSync(dist)) {
  if (/-[0-9A-Z]{8}\.js(\.map)?$/u.test(name) && Date.now() - statSync(join(dist, name)).mtimeMs > DAY_MS)
    rmSync(join(dist, name));
}
cpSync(fresh, dist, { recursive: true, filter: (from) => from !== join(fresh, 'onair.js') });
renameSync(join(fresh, 'onair.js'), join(dist, 'onair.js'));
rmSync(fresh, { recursive: true, force: true });
