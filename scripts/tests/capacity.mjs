// What the machine has left for one more unit, whatever uses it: the tests, other programs, or a limit of a control group.
import { setImmediate as turn } from 'node:timers/promises';

/** Long enough to be interrupted by those who wait for a core, and little of what the tests themselves take. */
const LOOK_MS = 10;
const LOOKS = 3;

function cpuMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** The share of a core that a program gets here at this moment, from 0 to 1. */
export async function shareOfCore() {
  let used = 0;
  let passed = 0;
  for (let look = 0; look < LOOKS; look += 1) {
    const cpu = cpuMs();
    const begun = performance.now();
    while (cpuMs() - cpu < LOOK_MS);
    used += cpuMs() - cpu;
    passed += performance.now() - begun;
    await turn();
  }
  return Math.min(1, used / passed);
}
