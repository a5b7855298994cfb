/** A crowd that waits for the same playlist: when it is answered, and what that costs. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text as textOf } from 'node:stream/consumers';
import { readFileSync, watch } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { liveDir } from '../../../device/run-dir.ts';
import { cleanUp } from '../../helpers/clean-up.ts';
import { countOf } from '../../helpers/counts.ts';
import { programArguments } from '../../helpers/program.ts';
import { clip, folder, running, startRunner } from './runner-fixture.ts';
import { fileSource, LIVESTREAM_ID, output, rendition, runSpec } from './specs.ts';

const READERS = countOf(50, 500);
const SECONDS = countOf(4, 10);
const MAX_LATE_MS = 50;
const MAX_CORE = 0.1;
const CMAF = 22;

/** Seconds of processor time. */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

test(`${READERS} readers of one playlist are answered within ${MAX_LATE_MS} ms after its part, for a tenth of a core at most`, async (t) => {
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
  /** Instants at which the runner had written each part. */
  const written = new Map<string, number>();
  const live = liveDir(dir, LIVESTREAM_ID, CMAF);
  const watcher = watch(live, (_, name) => {
    if (name !== '.live.json') return;
    const at = Date.now();
    const state = JSON.parse(readFileSync(join(live, name), 'utf8')) as {
      sequence: number;
      parts: number;
      lastParts: number;
    };
    const [sequence, part] = state.parts === 0 ? [state.sequence - 1, state.lastParts] : [state.sequence, state.parts];
    written.set(`?_HLS_msn=${sequence}&_HLS_part=${part - 1}`, at);
  });
  cleanUp(t, () => watcher.close());
  const readers = start('readers.ts', new URL(address.toString().trim()).port, path, String(READERS), String(SECONDS));
  const cpu = cpuOf(server.pid!);
  const begunAt = performance.now();
  const report = await textOf(readers.stdout);
  const core = (cpuOf(server.pid!) - cpu) / ((performance.now() - begunAt) / 1000);
  const parts = JSON.parse(report) as { query: string; times: number[] }[];
  const late = parts.flatMap(({ query, times }) => {
    const at = written.get(query);
    return at === undefined ? [] : times.map((time) => time - at);
  });
  const sorted = late.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor((sorted.length - 1) * share)]!;
  t.diagnostic(
    `${parts.length} parts, ${late.length} answers: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, max ${at(1)} ms; ${(core * 100).toFixed(1)} % of a core`,
  );
  assert.ok(parts.length >= SECONDS * 2 - 2, `${parts.length} parts`);
  // A machine that does other things as well makes some wait.
  assert.ok(at(0.5) <= MAX_LATE_MS, `p50 ${at(0.5)} ms`);
  assert.ok(core <= MAX_CORE, `${core} of a core`);
});
