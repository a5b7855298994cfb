/** The rate of a source: by what ffmpeg tells of its input, and else by what its process has read. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planLadder } from '../../../device/media/ladder/ladder-plan.ts';
import { RateMeter } from '../../../device/runner/encoder/meter.ts';
import type { EncodedStream } from '../../../device/runner/stream/encoded-stream.ts';
import { rendition } from './specs.ts';

test('the rate of a source is never negative, whatever tells its bytes, and begins anew with another process', () => {
  const stream = { takeCount: () => ({ units: 0, bytes: 0 }) } as unknown as EncodedStream;
  const meter = new RateMeter(planLadder([rendition(1, 16, 16, 100)]), stream);
  const rate = (bytes: number | undefined, ingestPid: number): number => {
    const source = { fps: 25, bytes };
    meter.sample({ framesIn: 0, source, ingestPid, progress: undefined, dropped: 0, encoderOf: () => undefined });
    return meter.source.bitrate_kbps;
  };
  // This process has read more than the input has.
  assert.equal(rate(undefined, process.pid), 0);
  assert.ok(rate(undefined, process.pid) >= 0);
  assert.equal(rate(1000, process.pid), 0, 'told from now on');
  assert.ok(rate(100_000, process.pid) > 0);
  assert.equal(rate(200_000, 1), 0, 'another process');
  assert.ok(rate(300_000, 1) > 0);
});
