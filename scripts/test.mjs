// Runs the tests with node's own runner: all of them, or those whose path contains a word given. With --long, those of large counts
// instead (*.long.ts, and specs that have more for it), which take minutes each and are run before a release.
import { setMaxListeners } from 'node:events';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { dirname, join, relative } from 'node:path';
import { buildTests, filesUnder } from './test-build.mjs';
import { isMedia, PLACES, placesOf, takePlaces, unitsOf } from './test-places.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const long = process.argv.includes('--long');
const words = process.argv.slice(2).filter((word) => word !== '--long');
const TIMEOUT_MS = long ? 7_200_000 : 1_200_000;

function isWanted(file) {
  if (words.length > 0 && !words.some((word) => file.includes(word))) return false;
  if (!long) return file.endsWith('.spec.ts');
  return (
    file.endsWith('.long.ts') || (file.endsWith('.spec.ts') && /helpers\/counts\.ts'/u.test(readFileSync(file, 'utf8')))
  );
}

process.chdir(root);
const files = filesUnder('test').filter(isWanted);
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

/** The closing lines of the runner, a count a line. */
const COUNT = /^(tests|suites|pass|fail|cancelled|skipped|todo) (\d+)$|^duration_ms /u;
const counts = new Map();
/** How long each unit took. */
const durations = new Map();
const SLOWEST = 10;
/** Tests that passed only when nothing ran beside them. */
const flaky = [];
const MAX_REPEATS = 12;

/** The compiled file that runs a unit. */
function entryOf({ name, files }) {
  const compiled = files.map((file) => join(build, file.replace(/ts$/u, 'js')));
  if (compiled.length === 1) return compiled[0];
  const entry = join(build, name, 'all.js');
  mkdirSync(dirname(entry), { recursive: true });
  writeFileSync(entry, compiled.map((file) => `import './${relative(dirname(entry), file)}';\n`).join(''));
  return entry;
}

/** The first line of what went wrong; of a suite it is empty, since its tests say it. */
function whyOf({ failureType, cause }) {
  if (failureType === 'subtestsFailed') return '';
  return String(cause?.message ?? cause).split('\n', 1)[0];
}

/** The events of a unit as they come; the outcome gets the counts of its closing lines, and what failed with its reason. */
async function* eventsOf({ unit, counts: own, failures }) {
  const entry = entryOf(unit);
  const begun = performance.now();
  for await (const event of run({ files: [entry], timeout: TIMEOUT_MS, signal: end.signal })) {
    const { type, data } = event;
    if (data.name === entry) data.name = unit.name;
    if (type === 'test:fail') failures.push({ name: data.name, why: whyOf(data.details.error) });
    const counted = type === 'test:diagnostic' && data.file === undefined ? COUNT.exec(data.message) : null;
    if (counted === null) yield event;
    else if (counted[1]) own.push([counted[1], Number(counted[2])]);
  }
  durations.set(unit, (durations.get(unit) ?? 0) + performance.now() - begun);
}

const newOutcome = (unit) => ({ unit, events: [], counts: [], failures: [] });

/** Runs a unit once the machine has the places for it, which media needs. */
async function outcomeOf(unit, places = placesOf(unit.name)) {
  const outcome = newOutcome(unit);
  const release = isMedia(unit.name) ? await takePlaces(places, end.signal) : undefined;
  for await (const event of eventsOf(outcome)) outcome.events.push(event);
  release?.();
  return outcome;
}

/** Adds the outcome of a unit to that of the run. */
function settle({ counts: own, failures }) {
  for (const [name, count] of own) counts.set(name, (counts.get(name) ?? 0) + count);
  if (failures.length > 0) process.exitCode = 1;
}

/** The events of a unit that runs by itself, shown while it runs. */
async function* eventsOfOne(unit) {
  const outcome = newOutcome(unit);
  yield* eventsOf(outcome);
  settle(outcome);
}

/** The outcomes of all units, each when it ends. */
async function* outcomesOf(units) {
  const waiting = [...units];
  const running = new Map();
  const free = { ...PLACES };
  const kindOf = ({ name }) => (isMedia(name) ? 'media' : 'light');
  while (running.size > 0 || (waiting.length > 0 && !end.signal.aborted)) {
    const next = end.signal.aborted ? -1 : waiting.findIndex((unit) => placesOf(unit.name) <= free[kindOf(unit)]);
    if (next >= 0) {
      const [unit] = waiting.splice(next, 1);
      free[kindOf(unit)] -= placesOf(unit.name);
      running.set(unit, outcomeOf(unit));
      continue;
    }
    const outcome = await Promise.race(running.values());
    running.delete(outcome.unit);
    free[kindOf(outcome.unit)] += placesOf(outcome.unit.name);
    yield outcome;
  }
}

/**
 * The events of all units. A unit that failed beside others is run once more when nothing runs beside it, as far as there are few of them:
 * that outcome counts, and the run names the tests that failed before. A fault of the program fails both times.
 */
async function* eventsOfAll(units) {
  const failed = [];
  for await (const outcome of outcomesOf(units)) {
    if (outcome.failures.length > 0) {
      failed.push(outcome);
      continue;
    }
    settle(outcome);
    yield* outcome.events;
  }
  for (const first of failed) {
    const isRepeated = failed.length <= MAX_REPEATS && !end.signal.aborted;
    const last = isRepeated ? await outcomeOf(first.unit, PLACES.media) : first;
    settle(last);
    yield* last.events;
    if (last.failures.length > 0) continue;
    for (const { name, why } of first.failures) if (why !== '') flaky.push(`${name} (${first.unit.name}): ${why}`);
  }
}

async function* all() {
  const begun = performance.now();
  const units = unitsOf(files);
  yield* units.length === 1 ? eventsOfOne(units[0]) : eventsOfAll(units);
  counts.set('duration_ms', performance.now() - begun);
  const slowest = [...durations].sort(([, a], [, b]) => b - a).slice(0, SLOWEST);
  for (const [{ name, files }, ms] of durations.size > SLOWEST ? slowest : [])
    yield diagnostic(`${(ms / 1000).toFixed(1)} s ${name}${files.length > 1 ? ` (${files.length} files)` : ''}`);
  for (const name of flaky) yield diagnostic(`failed beside other tests and passed alone: ${name}`);
  for (const [name, count] of counts) yield diagnostic(`${name} ${count}`);
}

const diagnostic = (message) => ({ type: 'test:diagnostic', data: { nesting: 0, message } });

await pipeline(Readable.from(all()).compose(new spec()), process.stdout, { end: false });
if (end.signal.aborted) process.exitCode = 1;
