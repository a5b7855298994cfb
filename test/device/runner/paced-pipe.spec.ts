/** A pipe that is read some times a second: nothing is lost or out of order, and its reader is woken seldom. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { PacedPipe } from '../../../device/runner/process/paced-pipe.ts';
import { testFolder } from '../../helpers/test-folder.ts';

interface Reading {
  text: string;
  reads: number;
  seconds: number;
}

/** Reads what the script of the shell writes, until it has ended. */
async function readingOf(t: TestContext, script: string, mayWait: boolean): Promise<Reading> {
  const path = join(testFolder(t, 'pipe'), 'pipe');
  const pipe = new PacedPipe(path);
  const child = pipe.handOver(() => spawn('sh', ['-c', script], { stdio: ['ignore', pipe.writeEnd, 'inherit'] }));
  assert.ok(!existsSync(path), 'only the two processes have it');
  child.once('exit', () => pipe.finish());
  const begun = performance.now();
  const reading = { text: '', reads: 0, seconds: 0 };
  pipe.read(
    (chunk) => {
      reading.text += chunk.toString();
      reading.reads += 1;
    },
    () => mayWait,
  );
  await pipe.ended;
  reading.seconds = (performance.now() - begun) / 1000;
  return reading;
}

const LINES = Array.from({ length: 60 }, (_, n) => `${n + 1}\n`).join('');
const SOME_AND_SOME = 'for n in $(seq 60); do echo $n; sleep 0.01; done';

test('while the reader has time it is woken ten times a second, and gets all in order', async (t) => {
  const { text, reads, seconds } = await readingOf(t, SOME_AND_SOME, true);
  assert.equal(text, LINES);
  assert.ok(reads <= 10 * seconds + 3, `${reads} reads in ${seconds} s`);
});

test('a reader that waits for the media gets it at once', async (t) => {
  const { text, reads, seconds } = await readingOf(t, SOME_AND_SOME, false);
  assert.equal(text, LINES);
  assert.ok(reads > 10 * seconds + 3, `${reads} reads in ${seconds} s`);
});

test('more than the pipe holds waits for its reader, and the rest comes with the end', async (t) => {
  const bytes = 3_000_000;
  const { text } = await readingOf(t, `yes | head -c ${bytes}`, true);
  assert.equal(text.length, bytes);
  assert.equal((await readingOf(t, 'echo last', true)).text, 'last\n');
});
