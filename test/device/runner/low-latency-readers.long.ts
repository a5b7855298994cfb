/** A crowd that waits for the same playlist: when it is answered, and what that costs. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text as textOf } from 'node:stream/consumers';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { cleanUp } from '../../helpers/clean-up.ts';
import { countOf } from '../../helpers/counts.ts';
import { programArguments } from '../../helpers/program.ts';
import { clip, folder, running, startRunner } from './runner-fixture.ts';
import { fileSource, LIVESTREAM_ID, output, rendition, runSpec } from './specs.ts';

const READERS = countOf(50, 500);
const SECONDS = countOf(4, 10);
/** A tenth of a core for 500 readers of four parts a second, and as much again for what is started. */
const MAX_CPU_S = 0.002;
const CMAF = 22;

/** Seconds of processor time. */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

test(`${READERS} readers of one playlist are each answered for each part once, for 2 ms of processor time at most`, async (t) => {
  const dir = folder(t);
  const spec = runSpec(
    'readers',
    fileSource(clip(dir)),
    [output(CMAF, 'CMAF', { low_latency: true, segment_duration: 2 })],
    {
      renditions: [rendition(11, 320, 180, 800)],
    },
  );
  await running(startRunner(t, dir, spec));
  const start = (entry: string, ...args: string[]) => {
    const child = spawn(
      process.execPath,
      [...programArguments(new URL(`fixtures/${entry}`, import.meta.url)), ...args],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    cleanUp(t, () => void child.kill('SIGKILL'));
    return child;
  };
  const server = start('media-server-entry.ts', dir);
  const [address] = (await once(server.stdout, 'data')) as [Buffer];
  const path = `/live/${LIVESTREAM_ID}/${CMAF}/256/index.m3u8`;
  const readers = start('readers.ts', new URL(address.toString().trim()).port, path, String(READERS), String(SECONDS));
  const cpu = cpuOf(server.pid!);
  const report = await textOf(readers.stdout);
  const used = cpuOf(server.pid!) - cpu;
  const parts = JSON.parse(report) as { query: string; times: number[] }[];
  const answers = parts.reduce((sum, { times }) => sum + times.length, 0);
  t.diagnostic(`${parts.length} parts, ${answers} answers, ${((1000 * used) / answers).toFixed(2)} ms of CPU for each`);
  assert.ok(answers >= READERS, `${answers} answers`);
  assert.equal(
    new Set(parts.map(({ query }) => query)).size,
    parts.length,
    'each part is asked for once by each reader',
  );
  assert.ok(parts.every(({ times }) => times.length <= READERS));
  assert.ok(used / answers <= MAX_CPU_S, `${used} s for ${answers} answers`);
});
