// Builds the operators' page and the page of the API: hashed chunks with their br and gzip twins, and the documents with the names of their
// entries.
import { build } from 'esbuild';
import { copyFileSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const FOR_BROWSERS = {
  bundle: true,
  format: 'esm',
  platform: 'browser',
  target: ['chrome120', 'firefox121', 'safari17'],
  legalComments: 'none',
  logLevel: 'warning',
};
const PACKED = /\.(js|css|svg)$/u;

/** Writes index.html, docs.html, assets/ and the viewers' page into the folder `out`. Answers the files that went into it. */
export async function buildPage({ web, out }) {
  const assets = join(out, 'assets');
  mkdirSync(assets, { recursive: true });
  const { metafile } = await build({
    ...FOR_BROWSERS,
    entryPoints: {
      app: join(web, 'app.tsx'),
      docs: join(web, 'docs', 'docs.ts'),
      worker: join(web, 'live', 'worker.ts'),
      icon: join(web, 'style', 'icon.svg'),
      icons: join(web, 'style', 'icons.svg'),
      alarm: join(web, 'style', 'alarm.svg'),
    },
    outdir: assets,
    splitting: true,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    loader: { '.svg': 'copy', '.woff2': 'file' },
    jsx: 'automatic',
    jsxImportSource: 'preact',
    minify: true,
    metafile: true,
  });
  await buildWatch(web, out);
  for (const name of readdirSync(assets)) if (PACKED.test(name)) pack(join(assets, name));
  const names = Object.keys(metafile.outputs).map((path) => basename(path));
  const withNames = (document) =>
    readFileSync(join(web, document), 'utf8').replace(/%(\w+)\.(\w+)%/gu, (_all, name, type) => {
      const found = names.find((each) => new RegExp(`^${name}-[0-9A-Z]{8}\\.${type}$`, 'u').test(each));
      if (found === undefined) throw new Error(`The build of the page made no ${name}.${type}.`);
      return `assets/${found}`;
    });
  // Without them a browser learns of each chunk when it has read the one that imports it.
  const preloads = importsOf(metafile.outputs, /^app-[0-9A-Z]{8}\.js$/u).map(
    (name) => `    <link rel="modulepreload" href="assets/${name}" />\n`,
  );
  writeFileSync(
    join(out, 'index.html'),
    withNames('index.html').replace(/^ *<script/mu, (script) => `${preloads.join('')}${script}`),
  );
  writeFileSync(join(out, 'docs.html'), withNames('docs.html'));
  return Object.keys(metafile.inputs);
}

/** The viewers' page, whose files have the names that its document calls them by. */
async function buildWatch(web, out) {
  copyFileSync(join(web, 'watch.html'), join(out, 'watch.html'));
  await build({ ...FOR_BROWSERS, entryPoints: [join(web, 'watch.ts')], outdir: out });
}

/** Names of the chunks that the code of an entry cannot begin without. */
function importsOf(outputs, entry) {
  const found = new Set();
  const visit = (path) => {
    for (const { path: imported, kind } of outputs[path]?.imports ?? []) {
      if (kind !== 'import-statement' || found.has(imported)) continue;
      found.add(imported);
      visit(imported);
    }
  };
  visit(Object.keys(outputs).find((path) => entry.test(basename(path))));
  return [...found].map((path) => basename(path));
}

function pack(path) {
  const bytes = readFileSync(path);
  const isLarge = bytes.length > 1e6;
  // Over plain HTTP a browser takes nothing else.
  writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
  // The best quality takes a second for each 600 kB.
  const params = { [constants.BROTLI_PARAM_QUALITY]: isLarge ? 9 : 11 };
  writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params }));
}
