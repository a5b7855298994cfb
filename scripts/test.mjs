// Runs the tests with node's own runner: all of them, or those whose path contains a word given. With --long, those of large counts
// instead (*.long.ts, and specs that have more for it). With --measure, the time that each file took is kept in test/durations.json.
import { spawnSync } from 'node:child_process';
import { setMaxListeners } from 'node:events';
import { spec } from 'node:test/reporters';
import { PassThrough } from 'node:stream';
import { finished } from 'node:stream/promises';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildTests, filesUnder } from './tests/build.mjs';
import { shareOfCore } from './tests/capacity.mjs';
import { Processes } from './tests/processes.mjs';
import { runUnit } from './tests/run-unit.mjs';
import { durations, unitsOf } from './tests/units.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const flags = process.argv.slice(2).filter((word) => word.startsWith('--'));
const words = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const isLong = flags.includes('--long');
/** Beyond it, processes only wait for each other. */
const MAX_RUNNING = 6;
/** One more unit is started while a program gets this share of a core at once. */
const ENOUGH = 0.8;
const DEAREST = 10;

function isWanted(file) {
  if (words.length > 0 && !words.some((word) => file.includes(word))) return false;
  if (!isLong) return file.endsWith('.spec.ts');
  return (
    file.endsWith('.long.ts') || (file.endsWith('.spec.ts') && /helpers\/counts\.ts'/u.test(readFileSync(file, 'utf8')))
  );
}

process.chdir(root);
const begun = performance.now();
const files = filesUnder('test').filter(isWanted);
if (files.length === 0) {
  process.stderr.write(`No test file matches ${words.join(' ')}\n`);
  process.exit(1);
}

const build = await buildTests(files);
// Each test process has the arguments of this one.
process.execArgv.push('--enable-source-maps');
process.env.NODE_OPTIONS = '--no-warnings';
process.env.TEST_BUILD = build;
// What every Device would ask the machine is asked once.
spawnSync(process.execPath, [join(build, 'test/helpers/fixtures/machine-room.js'), build], { stdio: 'inherit' });
if (isLong) process.env.TEST_COUNTS = 'whole';
const end = new AbortController();
// Each file that runs listens to it.
setMaxListeners(0, end.signal);
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => end.abort());

const processes = new Processes();
const watch = setInterval(() => processes.look(), 1000);
const events = new PassThrough({ objectMode: true });
const output = events.compose(new spec());
output.pipe(process.stdout);
const outcomes = [];
/** Units that run side by side are shown one after the other; one that runs alone is shown as it goes. */
const units = unitsOf(files);

async function outcomeOf(unit) {
  const kept = [];
  const show = units.length === 1 ? (event) => events.write(event) : (event) => kept.push(event);
  const outcome = await runUnit({ unit, build, isLong, processes, signal: end.signal, show });
  for (const event of kept) events.write(event);
  outcomes.push(outcome);
}

const running = new Set();
for (const unit of units) {
  while (running.size > 0 && (running.size >= MAX_RUNNING || (await shareOfCore()) < ENOUGH))
    await Promise.race([...running, sleep(1000)]);
  if (end.signal.aborted) break;
  const done = outcomeOf(unit).then(() => running.delete(done));
  running.add(done);
  // It shows its need before the next is considered.
  await Promise.race([done, sleep(1000)]);
}
await Promise.all(running);
clearInterval(watch);

const totals = new Map();
for (const { counts } of outcomes)
  for (const [name, count] of counts) totals.set(name, (totals.get(name) ?? 0) + count);
totals.set('duration_ms', performance.now() - begun);
processes.look();
const own = process.cpuUsage();
const seconds = (own.user + own.system) / 1e6 + units.reduce((sum, { id }) => sum + processes.cpuOf(id), 0);
const perFile = outcomes.flatMap(({ files: each }) => [...each]).sort(([, a], [, b]) => b.cpu - a.cpu);
const say = (message) => events.write({ type: 'test:diagnostic', data: { nesting: 0, message } });
for (const [file, { cpu, seconds: wall }] of perFile.slice(0, DEAREST))
  say(`${cpu.toFixed(1)} s of CPU, ${wall.toFixed(1)} s: ${file}`);
say(`cpu ${(seconds / 60).toFixed(1)} min`);
for (const [name, count] of totals) say(`${name} ${count}`);
events.end();
await finished(output);
if (flags.includes('--measure')) {
  const measured = perFile.map(([file, { seconds: wall }]) => [file, Math.round(wall * 10) / 10]);
  const all = Object.entries({ ...durations(), ...Object.fromEntries(measured) }).sort(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync('test/durations.json', `${JSON.stringify(Object.fromEntries(all), null, 2)}\n`);
}
if (end.signal.aborted || outcomes.some(({ failures }) => failures.length > 0)) process.exitCode = 1;
