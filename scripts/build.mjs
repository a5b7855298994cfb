// Bundles into dist/ the program; the stdio MCP server for itself, whose chunks load on demand, so that it answers before the rest is read;
// that server as one file for machines that have nothing but Node; the typed client; and the bill of materials.
import { build } from 'esbuild';
import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { dirname, join, relative } from 'node:path';
import { BILL, bundledPackages, isBillOf, writeBill, writeNotices } from './package/bill.mjs';
import { buildClient } from './client/build.mjs';
import { buildPage } from './page/build.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, 'dist');
// The build is made beside dist/, so that paths in source maps stay right and a rename is one step.
const fresh = join(root, `.dist-${process.pid}`);
process.on('exit', () => rmSync(fresh, { recursive: true, force: true }));

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
  minify: true,
  // Errors and classes are told by their names in logs.
  keepNames: true,
  legalComments: 'none',
  define: { __dirname: '__bundleDir' },
  plugins: [withoutAjv],
  metafile: true,
  logLevel: 'warning',
};

const inChunks = { ...shape, outdir: fresh, splitting: true, sourcemap: true };
const program = await build({
  ...inChunks,
  entryPoints: { onair: join(root, 'bin', 'main.ts') },
  banner: { js: banner },
  // The native parts of ssh2 and pg are optional: without them Node's own crypto, and JavaScript, do the work.
  // A package that brings a binary finds it only beside itself.
  external: ['cpu-features', 'pg-native', '@napi-rs/canvas', '*.node'],
});
// It is no second entry of the same build: its code would be in twice as many chunks, and each costs its start half a millisecond.
const alone = await build({
  ...inChunks,
  entryPoints: { mcp: join(root, 'bin', 'mcp-alone.ts') },
  banner: { js: banner },
});
// Completion is such a program too, of which a shell starts one at each Tab.
const completion = await build({
  ...inChunks,
  entryPoints: { complete: join(root, 'bin', 'completion', 'main.ts') },
  banner: { js: banner },
});
// The name ends in .mjs because no package.json says that it is a module where it is copied to.
await build({
  ...shape,
  entryPoints: [join(root, 'bin', 'mcp-alone.ts')],
  outfile: join(fresh, 'onair-mcp.mjs'),
  banner: { js: `#!/usr/bin/env node\n${banner}` },
});
const page = await buildPage({ web: join(root, 'web'), out: join(fresh, 'web') });
await buildClient({ client: join(root, 'client'), out: join(fresh, 'client') });
/** Files of packages that the pages have as they are. */
const copied = { 'node_modules/hls.js/dist/hls.min.js': 'hls.js' };
for (const [from, to] of Object.entries(copied)) copyFileSync(join(root, from), join(fresh, 'web', to));

const inputs = [program, alone, completion].flatMap(({ metafile }) => Object.keys(metafile.inputs));
const bundled = bundledPackages(root, [...inputs, ...page, ...Object.keys(copied)]);
writeNotices(root, bundled, join(fresh, 'licences.txt.gz'));
// The bill of materials is beside the program that it lists, and is made again when the lock file or that list has changed.
if (!isBillOf(join(dist, BILL), root, bundled)) writeBill(root, bundled, join(fresh, BILL));

// A program that runs may still load a chunk: chunks carry a hash of their content, so old ones stay a day. Each file takes the place of
// the one before it in one step, so that a program that starts meanwhile never misses one; the entries, which name the chunks, come last.
const DAY_MS = 86_400_000;
const HASHED = /-[0-9A-Z]{8}\.\w+(\.(map|br|gz))?$/u;
const entries = ['web/index.html', 'web/docs.html', 'onair.js', 'mcp.js', 'complete.js'];
const names = filesOf(fresh);
for (const name of names) mkdirSync(dirname(join(dist, name)), { recursive: true });
for (const name of [...names.filter((each) => !entries.includes(each)), ...entries])
  renameSync(join(fresh, name), join(dist, name));
const former = filesOf(dist).filter((name) => HASHED.test(name) && !names.includes(name));
const isOld = (name) => Date.now() - statSync(join(dist, name)).mtimeMs > DAY_MS;
for (const name of former.filter(isOld)) rmSync(join(dist, name), { force: true });
// A package has the files of one build; those that only a debugger reads, or that are there packed as well, are left out.
const left = former.filter((name) => existsSync(join(dist, name)));
const packed = names.filter((name) => names.includes(`${name}.br`));
writeFileSync(join(dist, '.npmignore'), ['*.map', ...[...left, ...packed].map((name) => `/${name}`), ''].join('\n'));

function filesOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}
