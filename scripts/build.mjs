// Bundles into dist/ the program and its processes; the stdio MCP server and completion, each for itself; that server as one file too, for
// machines that have nothing but Node; the typed client; and the bill of materials.
import { build } from 'esbuild';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { fileURLToPath } from 'node:url';
import { dirname, join, relative } from 'node:path';
import { BILL, bundledPackages, isBillOf, nameVersion, writeBill, writeNotices } from './package/bill.mjs';
import { buildClient } from './client/build.mjs';
import { BANNER, NODE_CHECK, SHAPE } from './build/shape.mjs';
import { removeAbandoned } from './build/abandoned.mjs';
import { generateWhenChanged } from './build/generate.mjs';
import { sourcesOf, STAMP, writeStamp } from './build/stamp.mjs';
import { buildPage } from './page/build.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, 'dist');
generateWhenChanged(root);
const sources = sourcesOf(root);
// The build is made beside dist/, so that paths in source maps stay right and a rename is one step.
const BESIDE = '.dist-';
const fresh = join(root, `${BESIDE}${process.pid}`);
removeAbandoned(root, BESIDE);
process.on('exit', () => rmSync(fresh, { recursive: true, force: true }));

const shape = { ...SHAPE, define: { ...SHAPE.define, BUILT_VERSION: JSON.stringify(sources.version) } };
const inChunks = { ...shape, outdir: fresh, splitting: true, sourcemap: true, banner: { js: BANNER } };
/** Entries by the name of their file in dist/. */
const whole = { onair: 'bin/main.ts', processes: 'bin/processes/main.ts' };
const mcp = { mcp: 'bin/mcp-alone.ts' };
const complete = { complete: 'bin/completion/main.ts' };
const programs = { ...whole, ...mcp, ...complete };
// As entries of the first build the two would be in twice as many chunks, and each costs their start half a millisecond.
const built = [];
for (const entryPoints of [whole, mcp, complete])
  built.push(await build({ ...inChunks, absWorkingDir: root, entryPoints }));
// The name ends in .mjs because no package.json says that it is a module where it is copied to.
await build({
  ...shape,
  entryPoints: [join(root, mcp.mcp)],
  outfile: join(fresh, 'onair-mcp.mjs'),
  banner: { js: `#!/usr/bin/env node\n${BANNER}\n${NODE_CHECK}` },
});
cpSync(join(root, 'bin', 'gen', 'man'), join(fresh, 'man'), { recursive: true });
const page = await buildPage({ web: join(root, 'web'), out: join(fresh, 'web') });
await buildClient({ client: join(root, 'client'), out: join(fresh, 'client') });
/** Files of packages that the pages have as they are. */
const copied = { 'node_modules/hls.js/dist/hls.min.js': 'hls.js' };
for (const [from, to] of Object.entries(copied)) copyFileSync(join(root, from), join(fresh, 'web', to));

const inputs = built.flatMap(({ metafile }) => Object.keys(metafile.inputs));
const bundled = bundledPackages(root, [...inputs, ...page, ...Object.keys(copied)]);
writeNotices(root, bundled, join(fresh, 'licences.txt.gz'));
// The bill of materials is beside the program that it lists, and is made again when the lock file or that list has changed.
if (isBillOf(join(dist, BILL), root, bundled)) copyFileSync(join(dist, BILL), join(fresh, BILL));
else writeBill(root, bundled, join(fresh, BILL));
nameVersion(join(fresh, BILL), sources.version);

// A program that runs may still load a chunk: chunks carry a hash of their content, so old ones stay a day. Each file takes the place of
// the one before it in one step, so that a program that starts meanwhile never misses one; the entries, which name the chunks, come last.
const DAY_MS = 86_400_000;
const HASHED = /-[0-9A-Z]{8}\.\w+(\.(map|br|gz))?$/u;
const entries = ['web/index.html', 'web/docs.html', ...Object.keys(programs).map((name) => `${name}.js`)];
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
writeFileSync(
  join(dist, '.npmignore'),
  ['*.map', `/${STAMP}`, ...[...left, ...packed].map((name) => `/${name}`), ''].join('\n'),
);
writeStamp(root, sources);

function filesOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}
