/** Sends transport streams by UDP as an encoder in the field does: each picture, and each piece of sound, at its time. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cleanUp, type TestScope } from '../../helpers/clean-up.ts';
import { programArguments } from '../../helpers/program.ts';
import type { PacedOrder } from './fixtures/paced-datagrams.ts';

/** The stream begins at this second of its clock. */
export function sendAtPace(t: TestScope, stream: Buffer, port: number, fromSeconds: number): void {
  sender(t, { parts: [stream], partSeconds: undefined, port, fromSeconds });
}

/** Sends a part of so many seconds over and over, at times that go on, until it is told to send the next one. The parts begin at second 1 of their clock. */
export function sendParts(t: TestScope, parts: Buffer[], partSeconds: number, port: number): { next: () => void } {
  const child = sender(t, { parts, partSeconds, port, fromSeconds: 1 });
  return { next: () => void child.send('next') };
}

function sender(t: TestScope, order: PacedOrder): ChildProcess {
  const [entry, ...before] = programArguments(new URL('fixtures/paced-datagrams.ts', import.meta.url)).reverse();
  const child = fork(entry!, { execArgv: before.reverse(), serialization: 'advanced' });
  child.send(order);
  cleanUp(t, async () => {
    if (child.exitCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  return child;
}
