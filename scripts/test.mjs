// Runs the tests with node's own runner: all of them, or those whose path contains a word given. With --long, those of large counts
// instead (*.long.ts), which take minutes each and are run before a release.
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { dirname, join } from 'node:path';
import { placesOf } from './alone.mjs';
import { buildTests, filesUnder } from './test-build.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const long = process.argv.includes('--long');
const ending = long ? '.long.ts' : '.spec.ts';
const words = process.argv.slice(2).filter((word) => word !== '--long');
const TIMEOUT_MS = long ? 3_600_000 : 600_000;

const files = filesUnder('test')
  .filter((file) => file.endsWith(ending))
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)));
if (files.length === 0) {
  process.stderr.write(`No test file matches ${words.join(' ')}\n`);
  process.exit(1);
}
// Two files at a time; those that measure come last, one at a time.
const [light, media, measured] = [0, 1, 2].map((places) => files.filter((file) => placesOf(file) === places));

process.chdir(root);
const build = await buildTests(files);
/** A spec by its compiled form. */
const sources = new Map(files.map((file) => [join(build, file.replace(/ts$/u, 'js')), file]));
// Each test process has the arguments of this one.
process.execArgv.push('--enable-source-maps', '--import', './scripts/alone.mjs');
process.env.NODE_OPTIONS = '--no-warnings';
process.env.ONAIR_TEST_BUILD = build;
const end = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => end.abort());

/** What the runner says at its end, a count a line. */
const COUNT = /^(tests|suites|pass|fail|cancelled|skipped|todo) (\d+)$|^duration_ms /u;
const counts = new Map();
/** How long each file took, with its process. */
const durations = new Map();
const SLOWEST = 10;

/** The events of one run; its counts are kept for those of all. */
async function* runOf(files, concurrency) {
  if (files.length === 0 || end.signal.aborted) return;
  const compiled = files.map((file) => join(build, file.replace(/ts$/u, 'js')));
  for await (const event of run({ files: compiled, concurrency, timeout: TIMEOUT_MS, signal: end.signal })) {
    const { type, data } = event;
    if (type === 'test:fail') process.exitCode = 1;
    const file = sources.get(data.name);
    if (file !== undefined) data.name = file;
    if (type === 'test:complete' && file !== undefined) durations.set(file, data.details.duration_ms);
    const counted = type === 'test:diagnostic' && data.file === undefined ? COUNT.exec(data.message) : null;
    if (counted === null) yield event;
    else if (counted[1]) counts.set(counted[1], (counts.get(counted[1]) ?? 0) + Number(counted[2]));
  }
}

async function* all() {
  const begun = performance.now();
  yield* runOf(light, 2);
  yield* runOf(media, 2);
  yield* runOf(measured, 1);
  counts.set('duration_ms', performance.now() - begun);
  const slowest = [...durations].sort(([, a], [, b]) => b - a).slice(0, SLOWEST);
  if (durations.size > SLOWEST)
    for (const [file, ms] of slowest) yield diagnostic(`${(ms / 1000).toFixed(1)} s ${file}`);
  for (const [name, count] of counts) yield diagnostic(`${name} ${count}`);
}

const diagnostic = (message) => ({ type: 'test:diagnostic', data: { nesting: 0, message } });

await pipeline(Readable.from(all()).compose(new spec()), process.stdout, { end: false });
if (end.signal.aborted) process.exitCode = 1;
