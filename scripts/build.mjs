// Bundles into dist/ the program; the stdio MCP server for itself, whose chunks load on demand, so that it answers before the rest is read;
// that server as one file for machines that have nothing but Node; the typed client; and the bill of materials.
import { spawnSync } from 'node:child_process';
import { build } from 'esbuild';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { fileURLToPath } from 'node:url';
import { dirname, join, relative } from 'node:path';
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
// It is no second entry of the same build: its code would be in twice as many chunks, and each costs its start half a millisecond.
await build({
  ...inChunks,
  entryPoints: { mcp: join(root, 'bin', 'mcp-alone.ts') },
  banner: { js: banner },
});
// Completion is such a program too, of which a shell starts one at each Tab.
await build({
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
await buildPage({ web: join(root, 'web'), out: join(fresh, 'web') });
await buildClient({ client: join(root, 'client'), out: join(fresh, 'client') });
copyFileSync(join(root, 'node_modules', 'hls.js', 'dist', 'hls.min.js'), join(fresh, 'web', 'hls.js'));

// The bill of materials is beside the program that it lists, and is made again when the lock file has changed.
const bill = 'sbom.cdx.json';
if (isOlder(join(dist, bill), join(root, 'package-lock.json'))) writeBill(join(fresh, bill));

// A program that runs may still load a chunk: chunks carry a hash of their content, so old ones stay a day. Each file takes the place of
// the one before it in one step, so that a program that starts meanwhile never misses one; the entries, which name the chunks, come last.
const DAY_MS = 86_400_000;
const entries = ['web/index.html', 'web/docs.html', 'onair.js', 'mcp.js', 'complete.js'];
const names = filesOf(fresh);
for (const name of names) mkdirSync(dirname(join(dist, name)), { recursive: true });
for (const name of [...names.filter((each) => !entries.includes(each)), ...entries])
  renameSync(join(fresh, name), join(dist, name));
for (const name of [
  ...readdirSync(dist),
  ...readdirSync(join(dist, 'web', 'assets')).map((each) => `web/assets/${each}`),
]) {
  if (!/-[0-9A-Z]{8}\.\w+(\.(map|br|gz))?$/u.test(name) || names.includes(name)) continue;
  if (Date.now() - statSync(join(dist, name)).mtimeMs > DAY_MS) rmSync(join(dist, name), { force: true });
}

function filesOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}

function isOlder(path, than) {
  return !existsSync(path) || statSync(path).mtimeMs < statSync(than).mtimeMs;
}

/** Writes the bill of materials (CycloneDX), which npm makes of the lock file alone. The same lock file gives the same bill. */
function writeBill(path) {
  const words = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'];
  const { status, stdout, stderr } = spawnSync('npm', words, { cwd: root, encoding: 'utf8', maxBuffer: 64 << 20 });
  if (status !== 0) {
    process.stderr.write(
      `onair build: npm wrote no bill of materials; the program is built without it. ${stderr ?? ''}\n`,
    );
    return;
  }
  const { serialNumber: _random, ...document } = JSON.parse(stdout);
  // npm's own --omit dev also leaves out what a development package asks for as a peer.
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const shipped = new Set(
    Object.entries(packages)
      .filter(([path, { dev, devOptional }]) => path !== '' && !dev && !devOptional)
      .map(([path, { version }]) => `${path.slice(path.lastIndexOf('node_modules/') + 13)}@${version}`),
  );
  document.components = document.components.filter(({ name, version }) => shipped.has(`${name}@${version}`));
  const listed = new Set([document.metadata.component, ...document.components].map((each) => each['bom-ref']));
  document.dependencies = document.dependencies.filter(({ ref }) => listed.has(ref));
  for (const each of document.dependencies) each.dependsOn = each.dependsOn.filter((ref) => listed.has(ref));
  delete document.metadata.timestamp;
  // npm takes the name of the folder.
  document.metadata.component.name = 'onair';
  writeFileSync(path, `${JSON.stringify(document, null, 1)}\n`);
}
