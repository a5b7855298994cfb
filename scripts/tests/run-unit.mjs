// One process of specs, from its start to the end of all that it has started.
import { run } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { writeEntry } from './entry.mjs';

/** The closing lines of the runner, a count a line. */
const COUNT = /^(tests|suites|pass|fail|cancelled|skipped|todo) (\d+)$|^duration_ms /u;
/** A test may take this long, whatever else the machine does; what takes longer waits for nothing. */
const STILL_MS = { quick: 300_000, long: 3_600_000 };
/** What a unit has started is given this long to end after it. */
const LEAVING_MS = 3000;

/** The first line of what went wrong; of a suite it is empty, since its tests say it. */
function whyOf({ failureType, cause }) {
  if (failureType === 'subtestsFailed') return '';
  return String(cause?.message ?? cause).split('\n', 1)[0];
}

function failure(name, message) {
  const error = Object.assign(new Error(message), { failureType: 'testCodeFailure', cause: new Error(message) });
  return { type: 'test:fail', data: { name, nesting: 0, testNumber: 1, details: { duration_ms: 0, error } } };
}

function kill(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended meanwhile.
  }
}

/** Runs a unit, hands its events to `show` as they come, and answers its counts, its failures and what each file took. */
export async function runUnit({ unit, build, isLong, processes, signal, show }) {
  const outcome = { unit, counts: new Map(), failures: [], files: new Map() };
  const entry = writeEntry(build, unit);
  let lastAt = performance.now();
  let fileAt = lastAt;
  let cpuBefore = 0;
  const still = isLong ? STILL_MS.long : STILL_MS.quick;
  const isStuck = () => performance.now() - lastAt > Number(process.env.TEST_STILL_MS ?? still);
  const watch = setInterval(() => isStuck() && end(), 1000);
  let isEnding = false;
  const end = () => {
    if (isEnding) return;
    isEnding = true;
    processes.look();
    const [root] = processes.livingOf(unit.id).filter(({ command }) => command.endsWith(`/${unit.id}.js`));
    if (root !== undefined) kill(root.pid, 'SIGUSR2');
    // It says what it waits for before it goes.
    setTimeout(() => processes.livingOf(unit.id).forEach(({ pid }) => kill(pid, 'SIGKILL')), 500);
  };

  for await (const event of run({ files: [entry], forceExit: true, signal })) {
    const { type, data } = event;
    if (data.name === entry) data.name = unit.name;
    lastAt = performance.now();
    if (type === 'test:fail') {
      const why = whyOf(data.details.error);
      outcome.failures.push({ name: data.name, why });
    }
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
  await endRest(unit, processes, outcome, show);
  return outcome;
}

/** A spec ends what it starts: what is left fails the unit, and is ended. */
async function endRest(unit, processes, outcome, show) {
  let left = [];
  for (let waited = 0; waited <= LEAVING_MS; waited += 100) {
    processes.look();
    left = processes.livingOf(unit.id);
    if (left.length === 0) return;
    await sleep(100);
  }
  for (const { pid } of left) kill(pid, 'SIGKILL');
  const name = `${unit.name} left processes behind`;
  const commands = left.map(({ command }) => command).join('\n');
  outcome.failures.push({ name, why: commands });
  for (const count of ['tests', 'fail']) outcome.counts.set(count, (outcome.counts.get(count) ?? 0) + 1);
  show(failure(name, `${name}:\n${commands}`));
}
