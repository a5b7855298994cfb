// Runs the tests with node's own runner: those of every run (*.spec.ts), or those whose path contains a word given.
//   --long     the long suite instead: *.long.ts, and specs that have more for it (test/helpers/counts.ts)
//   --slice    beside those of every run, the part of the long suite that belongs to this commit; --slice=3 the third part alone
//   --measure  keeps the seconds that each file took in test/durations.json
import { spawnSync } from 'node:child_process';
import { setMaxListeners } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { finished } from 'node:stream/promises';
import { spec } from 'node:test/reporters';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { buildWhenChanged } from './build/stamp.mjs';
import { buildTests, filesUnder } from './tests/build.mjs';
import { shareOfCore } from './tests/capacity.mjs';
import { Processes } from './tests/processes.mjs';
import { runUnit } from './tests/run-unit.mjs';
import { closingLines, keepDurations } from './tests/summary.mjs';
import { sliceOfCommit, slicesOf, unitsOf } from './tests/units.mjs';

/** Beyond it, processes only wait for each other. */
const MAX_RUNNING = 6;
/** So many run whatever else the machine does: media waits for half of its time. */
const MIN_RUNNING = 2;
/** One more unit is started while a program gets this share of a core at once. */
const ENOUGH = 0.8;
const LOOK_MS = 1000;
/** A unit shows what it needs before one more is considered: it begins with what its files import, and with waiting for what it has started. */
const SETTLING_MS = 4000;

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));
const begun = performance.now();
const flags = process.argv.slice(2).filter((word) => word.startsWith('--'));
const words = process.argv.slice(2).filter((word) => !word.startsWith('--'));

const isWanted = (file) => words.length === 0 || words.some((word) => file.includes(word));
const isLong = (file) =>
  file.endsWith('.long.ts') || (file.endsWith('.spec.ts') && /helpers\/counts\.ts'/u.test(readFileSync(file, 'utf8')));

/** The units of this run, the longest first. */
function wantedUnits() {
  const all = filesUnder('test');
  const quick = all.filter((file) => file.endsWith('.spec.ts') && isWanted(file));
  const long = all.filter((file) => isLong(file) && isWanted(file));
  const [, number] = /^--slice=(\d+)$/mu.exec(flags.join('\n')) ?? [];
  if (number !== undefined) return unitsOf(slicesOf(long)[number - 1]?.files ?? [], 'long');
  if (flags.includes('--long')) return unitsOf(long, 'long');
  const slice = flags.includes('--slice') ? sliceOfCommit(long) : { files: [] };
  if (slice.files.length > 0) process.stderr.write(`slice ${slice.at} of ${slice.of} of the long suite\n`);
  return [...unitsOf(quick, 'quick'), ...unitsOf(slice.files, 'long')];
}

const units = wantedUnits().toSorted((a, b) => b.seconds - a.seconds);
if (units.length === 0) {
  process.stderr.write(`No test file matches ${words.join(' ')}\n`);
  process.exit(1);
}

buildWhenChanged(process.cwd());
const build = await buildTests([...new Set(units.flatMap(({ files }) => files))]);
// Each test process has the arguments of this one.
process.execArgv.push('--enable-source-maps');
process.env.NODE_OPTIONS = '--no-warnings';
process.env.TEST_BUILD = build;
// What every Device would ask the machine is asked once.
spawnSync(process.execPath, [join(build, 'test/helpers/fixtures/machine-room.js'), build], { stdio: 'inherit' });
const end = new AbortController();
// Each file that runs listens to it.
setMaxListeners(0, end.signal);
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => end.abort());

const processes = new Processes(process.pid);
const watch = setInterval(() => processes.look(), 1000);
const events = new PassThrough({ objectMode: true });
const output = events.compose(new spec());
output.pipe(process.stdout);
const outcomes = [];

/** Units that run side by side are shown one after the other; one that runs alone is shown as it goes. */
async function settle(unit) {
  const kept = [];
  const show = units.length === 1 ? (event) => events.write(event) : (event) => kept.push(event);
  outcomes.push(await runUnit({ unit, build, processes, signal: end.signal, show }));
  for (const event of kept) events.write(event);
}

const running = new Set();
for (const unit of units) {
  while (running.size >= MIN_RUNNING && (running.size >= MAX_RUNNING || (await shareOfCore()) < ENOUGH))
    await Promise.race([...running, sleep(LOOK_MS)]);
  if (end.signal.aborted) break;
  const done = settle(unit).then(() => running.delete(done));
  running.add(done);
  if (running.size >= MIN_RUNNING) await Promise.race([done, sleep(SETTLING_MS)]);
}
await Promise.all(running);
clearInterval(watch);

processes.look();
const { user, system } = process.cpuUsage();
const cpu = (user + system) / 1e6 + units.reduce((sum, { id }) => sum + processes.cpuOf(id), 0);
for (const message of closingLines(outcomes, { cpu, ms: performance.now() - begun }))
  events.write({ type: 'test:diagnostic', data: { nesting: 0, message } });
events.end();
await finished(output);
if (flags.includes('--measure')) writeFileSync(...keepDurations(outcomes));
if (end.signal.aborted || outcomes.some(({ isFailed }) => isFailed)) process.exitCode = 1;
