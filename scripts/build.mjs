// Bundles the program into dist/: one entry, chunks that load on demand, so that `onair mcp` answers before the rest is read.
import { build } from 'esbuild';
import { copyFileSync, cpSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { dirname, join } from 'node:path';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, 'dist');
const fresh = join(root, `dist.${process.pid}`);

await build({
  entryPoints: { onair: join(root, 'bin', 'main.ts') },
  outdir: fresh,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  sourcemap: true,
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  // CommonJS packages in an ES module bundle still call require for Node's own modules, and ssh2 looks where its file lies.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url); const __bundleDir = import.meta.dirname;",
  },
  define: { __dirname: '__bundleDir' },
  // The native parts of ssh2 are optional: without them Node's own crypto does the work.
  // A package that brings a binary finds it only beside itself.
  external: ['pino-pretty', 'cpu-features', '@napi-rs/canvas', '*.node'],
  logLevel: 'warning',
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
