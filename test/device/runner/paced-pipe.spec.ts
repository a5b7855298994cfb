/** A pipe that is read some times a second: nothing is lost or out of order, and its reader is woken seldom. */
import assert from 'node:assert/strict';
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { PacedPipe } from '../../../device/runner/process/paced-pipe.ts';
import { settled } from '../../helpers/pass.ts';
import { testFolder } from '../../helpers/test-folder.ts';

/** The pace of the product. */
const PACE_MS = 100;
const PIPE_BYTES = 65_536;
const LINES = Array.from({ length: 60 }, (_, n) => `${n + 1}\n`).join('');
const SIXTY = 'for n in $(seq 60); do echo $n; done';

interface Reading {
  pipe: PacedPipe;
  child: ChildProcess;
  chunks: string[];
  /** Resolves with the next chunk. */
  next(): Promise<unknown>;
}

/** Reads what the script of the shell writes. */
function reading(t: TestContext, script: string, mayWait: boolean): Reading {
  const path = join(testFolder(t, 'pipe'), 'pipe');
  const pipe = new PacedPipe(path);
  const child = pipe.handOver(() => spawn('sh', ['-c', script], { stdio: ['pipe', pipe.writeEnd, 'inherit'] }));
  assert.ok(!existsSync(path), 'only the two processes have it');
  const chunks: string[] = [];
  const arrivals = new EventEmitter();
  pipe.read(
    (chunk) => {
      chunks.push(chunk.toString());
      arrivals.emit('chunk');
    },
    () => mayWait,
  );
  return { pipe, child, chunks, next: () => once(arrivals, 'chunk') };
}

test('while the reader has time it is woken once in a tenth of a second, and gets all in order', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { pipe, child, chunks, next } = reading(t, `echo first; read go; ${SIXTY}`, true);
  await next();
  child.stdin!.end('go\n');
  await once(child, 'exit');
  t.mock.timers.tick(PACE_MS - 1);
  await settled();
  assert.deepEqual(chunks, ['first\n']);
  const more = next();
  t.mock.timers.tick(1);
  await more;
  assert.deepEqual(chunks, ['first\n', LINES]);
  t.mock.timers.tick(PACE_MS);
  await pipe.ended;
});

test('behind a read of all that the pipe holds the next one does not wait: its child does', async (t) => {
  const dir = testFolder(t, 'full');
  const [path, marker] = [join(dir, 'pipe'), join(dir, 'written')];
  const pipe = new PacedPipe(path);
  const script = `head -c ${PIPE_BYTES} /dev/zero; touch ${marker}; read go; echo more`;
  const child = pipe.handOver(() => spawn('sh', ['-c', script], { stdio: ['pipe', pipe.writeEnd, 'inherit'] }));
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const lengths: number[] = [];
  const arrivals = new EventEmitter();
  const more = once(arrivals, 'second');
  pipe.read(
    ({ length }) => {
      lengths.push(length);
      if (lengths.length > 1) arrivals.emit('second');
    },
    () => true,
  );
  // Nothing is read as long as this process waits, and so the first read is of all that the child has written.
  execFileSync('sh', ['-c', `until [ -e ${marker} ]; do sleep 0.02; done`]);
  child.stdin!.end('go\n');
  await more;
  t.mock.timers.tick(PACE_MS);
  await pipe.ended;
  assert.deepEqual(lengths, [PIPE_BYTES, 5]);
});

test('a reader that waits for the media gets it at once', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { pipe, child, chunks, next } = reading(t, `echo first; read go; ${SIXTY}`, false);
  await next();
  child.stdin!.end('go\n');
  await pipe.ended;
  assert.equal(chunks.join(''), `first\n${LINES}`);
});

test('more than the pipe holds waits for its reader', async (t) => {
  const bytes = 3_000_000;
  const { pipe, child, chunks } = reading(t, `yes | head -c ${bytes}`, true);
  child.once('exit', () => pipe.finish());
  await pipe.ended;
  assert.equal(chunks.join('').length, bytes);
});

test('what a child leaves in the pipe is read at its end, without a wait', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { pipe, child, chunks, next } = reading(t, 'echo first; read go; echo last', true);
  await next();
  child.once('exit', () => pipe.finish());
  child.stdin!.end('go\n');
  await pipe.ended;
  assert.equal(chunks.join(''), 'first\nlast\n');
  t.mock.timers.tick(PACE_MS);
});
