// Compiles specs and the programs that they start, once for all processes of a run: a process reads a few files of its own then, where
// a loader would read, transform and link each source and each file of a package again.
import { build } from 'esbuild';
import { readFile } from 'node:fs/promises';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { removeAbandoned } from '../build/abandoned.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
/** Within node_modules, where neither git nor a linter looks, and where packages that are not bundled are found. */
const BUILDS = join(root, 'node_modules', '.tests');

/** Packages that look for files beside their own; and the two that bring a binary. */
const EXTERNAL = [
  ...['@redocly/*', '@stoplight/*', 'esbuild', 'playwright-core', 'prettier', 's3rver', 'tsx', 'typescript'],
  ...['@napi-rs/canvas', 'koffi', 'cpu-features', 'pino-pretty', '*.node'],
];

// CommonJS packages in an ES module bundle still call require for Node's own modules.
const banner =
  "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url); const __bundleDir = import.meta.dirname;";

/** A source looks for its neighbours where it lies, not where its compiled form does. */
const ownAddress = {
  name: 'own-address',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      return { contents: source.replaceAll('import.meta.url', `'${pathToFileURL(path).href}'`), loader: 'ts' };
    });
  },
};

/** Files by their paths from the root of the project, all that a folder holds. */
export function filesUnder(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? filesUnder(path) : [path];
    })
    .sort();
}

/** Programs that specs start lie in folders of this name. */
const isProgram = (file) => /\/fixtures\/[^/]+\.ts$/u.test(file);

/** Compiles the specs into a folder of this process, which ends with it; answers the folder. */
export async function buildTests(specs) {
  mkdirSync(BUILDS, { recursive: true });
  removeAbandoned(BUILDS);
  const folder = join(BUILDS, String(process.pid));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(folder, { recursive: true });
  const entries = [...specs, ...filesUnder('test').filter(isProgram)];
  await build({
    entryPoints: entries.map((file) => ({ in: join(root, file), out: file.replace(/\.ts$/u, '') })),
    outdir: folder,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: true,
    sourcesContent: false,
    external: EXTERNAL,
    define: { __dirname: '__bundleDir' },
    banner: { js: banner },
    plugins: [ownAddress],
    chunkNames: 'chunks/[hash]',
    logLevel: 'error',
  });
  return folder;
}
