/** Every rate of the field by datagrams and from a peer that serves one connection: picture by picture, and in step with its sound. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import { flowOf, numbersIn, soundOffsets, timelineOf } from '../../helpers/counted.ts';
import { freePort } from '../../helpers/ports.ts';
import { until } from '../../helpers/until.ts';
import { feed } from './feeder.ts';
import { folder, running, startRunner } from './runner-fixture.ts';
import { broadcast } from './screen.ts';
import { countedAt, openRendition, PICTURES } from './source-form.ts';
import { output, QUICK, runSpec, source } from './specs.ts';
import { rendered } from './viewing.ts';

/** ITU-R BT.1359: viewers notice sound that is earlier than this. */
const MAX_OFFSET = 0.045;
const PLACES: Record<string, (port: number) => { from: RunSpec['source']; to: string }> = {
  datagrams: (port) => ({
    from: source('Stream', { url: `udp://127.0.0.1:${port}` }),
    to: `udp://127.0.0.1:${port}?pkt_size=1316`,
  }),
  'an SRT peer': (port) => ({
    from: source('SRT', { mode: 'caller', host: '127.0.0.1', port }),
    to: `srt://127.0.0.1:${port}?mode=listener`,
  }),
};

for (const [place, addresses] of Object.entries(PLACES))
  for (const [rate, fps] of [
    ['25', 25],
    ['30000/1001', 29.97],
    ['50', 50],
    ['60000/1001', 59.94],
  ] as const)
    test(`${fps} pictures a second from ${place} stay whole and in step`, async (t) => {
      const dir = folder(t);
      const { from, to } = addresses(await freePort());
      feed(t, countedAt(dir, rate), '-f', 'mpegts', to);
      const outputs = [output(21, 'HLS / TS', QUICK.output)];
      const runner = startRunner(t, dir, runSpec('rate', from, outputs, { renditions: [openRendition()] }));
      await running(runner);
      t.diagnostic(runner.events().find(({ kind }) => kind === 'started')!.message);
      await until('the rate that comes in', async () => (await runner.report()).source.fps === fps);
      await until('segments', () => rendered(dir).length > 16);
      const recording = broadcast(dir, 4, 16);
      const { missing, repeated } = flowOf(numbersIn(recording), PICTURES);
      assert.deepEqual({ missing, repeated }, { missing: 0, repeated: 0 });
      const offsets = soundOffsets(timelineOf(recording));
      assert.ok(offsets.length > 1, 'flashes and beeps');
      // The codec smears the begin of some beeps.
      const median = offsets.map(Math.abs).sort((a, b) => a - b)[Math.floor(offsets.length / 2)]!;
      assert.ok(median <= MAX_OFFSET, offsets.join(' '));
    });
