// Runs the tests with node's own runner: all of them, or those whose path contains a word given. With --long, those of large counts
// instead (*.long.ts, and specs that have a larger count for it), which take minutes each and are run before a release.
import { setMaxListeners } from 'node:events';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { dirname, join } from 'node:path';
import { buildTests, filesUnder } from './test-build.mjs';
import { inOrder, isMedia, PLACES, placesOf, takePlaces } from './test-places.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const long = process.argv.includes('--long');
const words = process.argv.slice(2).filter((word) => word !== '--long');
const TIMEOUT_MS = long ? 7_200_000 : 1_200_000;

function isWanted(file) {
  if (words.length > 0 && !words.some((word) => file.includes(word))) return false;
  if (!long) return file.endsWith('.spec.ts');
  return file.endsWith('.long.ts') || (file.endsWith('.spec.ts') && readFileSync(file, 'utf8').includes('countOf('));
}

process.chdir(root);
const files = inOrder(filesUnder('test').filter(isWanted));
if (files.length === 0) {
  process.stderr.write(`No test file matches ${words.join(' ')}\n`);
  process.exit(1);
}

const build = await buildTests(files);
// Each test process has the arguments of this one.
process.execArgv.push('--enable-source-maps', '--import', './scripts/test-priority.mjs');
process.env.NODE_OPTIONS = '--no-warnings';
process.env.ONAIR_TEST_BUILD = build;
if (long) process.env.ONAIR_TEST_COUNTS = 'whole';
const end = new AbortController();
// Each file that runs listens to it.
setMaxListeners(0, end.signal);
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => end.abort());

/** What the runner says at its end, a count a line. */
const COUNT = /^(tests|suites|pass|fail|cancelled|skipped|todo) (\d+)$|^duration_ms /u;
const counts = new Map();
/** How long each file took, with its process. */
const durations = new Map();
const SLOWEST = 10;

/** The events of one file; its counts are added to those of all. */
async function* eventsOf(file) {
  const compiled = join(build, file.replace(/ts$/u, 'js'));
  const begun = performance.now();
  for await (const event of run({ files: [compiled], timeout: TIMEOUT_MS, signal: end.signal })) {
    const { type, data } = event;
    if (type === 'test:fail') process.exitCode = 1;
    if (data.name === compiled) data.name = file;
    const counted = type === 'test:diagnostic' && data.file === undefined ? COUNT.exec(data.message) : null;
    if (counted === null) yield event;
    else if (counted[1]) counts.set(counted[1], (counts.get(counted[1]) ?? 0) + Number(counted[2]));
  }
  durations.set(file, performance.now() - begun);
}

/** Runs a file once the machine has places for it. */
async function outcomeOf(file) {
  const release = isMedia(file) ? await takePlaces(placesOf(file), end.signal) : undefined;
  const events = [];
  for await (const event of eventsOf(file)) events.push(event);
  release?.();
  return { file, events };
}

/** The events of all files, those of a file together. */
async function* eventsOfAll() {
  const waiting = [...files];
  const running = new Map();
  const free = { ...PLACES };
  const kindOf = (file) => (isMedia(file) ? 'media' : 'light');
  while (running.size > 0 || (waiting.length > 0 && !end.signal.aborted)) {
    const next = end.signal.aborted ? -1 : waiting.findIndex((file) => placesOf(file) <= free[kindOf(file)]);
    if (next >= 0) {
      const [file] = waiting.splice(next, 1);
      free[kindOf(file)] -= placesOf(file);
      running.set(file, outcomeOf(file));
      continue;
    }
    const { file, events } = await Promise.race(running.values());
    running.delete(file);
    free[kindOf(file)] += placesOf(file);
    yield* events;
  }
}

async function* all() {
  const begun = performance.now();
  yield* files.length === 1 ? eventsOf(files[0]) : eventsOfAll();
  counts.set('duration_ms', performance.now() - begun);
  const slowest = [...durations].sort(([, a], [, b]) => b - a).slice(0, SLOWEST);
  if (durations.size > SLOWEST)
    for (const [file, ms] of slowest) yield diagnostic(`${(ms / 1000).toFixed(1)} s ${file}`);
  for (const [name, count] of counts) yield diagnostic(`${name} ${count}`);
}

const diagnostic = (message) => ({ type: 'test:diagnostic', data: { nesting: 0, message } });

await pipeline(Readable.from(all()).compose(new spec()), process.stdout, { end: false });
if (end.signal.aborted) process.exitCode = 1;
