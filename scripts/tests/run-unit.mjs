// One process of specs, from its start to the end of all that it has started.
import { run } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { writeEntry } from './entry.mjs';

/** The closing lines of the runner, a count a line. */
const COUNT = /^(tests|suites|pass|fail|cancelled|skipped|todo) (\d+)$|^duration_ms /u;
/** A test may take this long, whatever else the machine does; what takes longer waits for nothing. */
const STILL_MS = { quick: 600_000, long: 3_600_000 };
/** All that a unit has started is given this long to end after it, on a machine that may be busy. */
const LEAVING_MS = 30_000;
/** Tests of the harness are more impatient. */
const boundOf = (ms) => Math.min(ms, Number(process.env.TEST_STILL_MS ?? ms));

/** The event of a test that failed, whose name says all. */
function failure(fault) {
  const error = Object.assign(new Error(fault, { cause: fault }), { failureType: 'testCodeFailure' });
  error.stack = '';
  return { type: 'test:fail', data: { name: fault, nesting: 0, testNumber: 1, details: { duration_ms: 0, error } } };
}

function kill(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended meanwhile.
  }
}

/** Runs a unit, hands its events to `show` as they come, and answers its counts, whether it failed and what each file took. */
export async function runUnit({ unit, build, processes, signal, show }) {
  const outcome = { unit, counts: new Map(), files: new Map(), isFailed: false };
  const entry = writeEntry(build, unit);
  let lastAt = performance.now();
  let fileAt = lastAt;
  let cpuBefore = 0;
  const isStuck = () => performance.now() - lastAt > boundOf(STILL_MS[unit.suite]);
  const watch = setInterval(() => isStuck() && end(), 1000);
  let isEnding = false;
  const end = () => {
    if (isEnding) return;
    isEnding = true;
    processes.look();
    const [root] = processes.livingOf(unit.id).filter(({ command }) => command.endsWith(`/units/${unit.id}.js`));
    if (root !== undefined) kill(root.pid, 'SIGUSR2');
    // It says what it waits for before it goes.
    setTimeout(() => processes.livingOf(unit.id).forEach(({ pid }) => kill(pid, 'SIGKILL')), 500);
  };

  for await (const event of run({ files: [entry], forceExit: true, signal })) {
    const { type, data } = event;
    if (data.name === entry) data.name = unit.name;
    lastAt = performance.now();
    if (type === 'test:fail') outcome.isFailed = true;
    if (type === 'test:complete' && unit.files.includes(data.name)) {
      processes.look();
      const cpu = processes.cpuOf(unit.id);
      outcome.files.set(data.name, { cpu: cpu - cpuBefore, seconds: (lastAt - fileAt) / 1000 });
      cpuBefore = cpu;
      fileAt = lastAt;
    }
    const counted = type === 'test:diagnostic' && data.file === undefined ? COUNT.exec(data.message) : null;
    if (counted === null) show(event);
    else if (counted[1]) outcome.counts.set(counted[1], Number(counted[2]));
  }
  clearInterval(watch);
  for (const fault of [unfinishedOf(outcome), await endRest(unit, processes)]) {
    if (fault === undefined) continue;
    outcome.isFailed = true;
    for (const count of ['tests', 'fail']) outcome.counts.set(count, (outcome.counts.get(count) ?? 0) + 1);
    show(failure(fault));
  }
  return outcome;
}

/** A spec ends what it starts: what is left fails the unit, and is ended. */
async function endRest(unit, processes) {
  let left = [];
  for (let waited = 0; waited <= boundOf(LEAVING_MS); waited += 100) {
    processes.look();
    left = processes.livingOf(unit.id);
    if (left.length === 0) return undefined;
    await sleep(100);
  }
  for (const { pid } of left) kill(pid, 'SIGKILL');
  return `${unit.name} left processes behind:\n${left.map(({ command }) => command).join('\n')}`;
}

/** The names of files that never came to their end, since their process ended before. */
function unfinishedOf({ unit, files }) {
  const missing = unit.files.filter((file) => !files.has(file));
  return missing.length === 0 ? undefined : `${unit.name} ended before the end of ${missing.join(', ')}`;
}
