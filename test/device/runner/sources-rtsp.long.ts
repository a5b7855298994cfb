/** A camera by RTSP for longer than its server keeps a session that is not used: picture by picture, and in step with its sound. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { letPass } from '../../helpers/pass.ts';
import { flowOf, makeCountedClip, numbersIn, soundOffsets, timelineOf } from '../../helpers/counted.ts';
import { rtspServerMissing, startRtspServer } from '../../helpers/servers/rtsp-gstreamer.ts';
import { folder, running, startRunner } from './runner-fixture.ts';
import { broadcast } from './screen.ts';
import { openRendition } from './source-form.ts';
import { output, QUICK, runSpec, source } from './specs.ts';

/** ITU-R BT.1359: viewers notice sound that is earlier than this. */
const MAX_OFFSET = 0.045;
/** GStreamer ends a session after 60 s without a request of its client. */
const SESSION_MS = 75_000;
/** 100 s: the server does not begin again in between. */
const PICTURES = 3000;

describe('a camera by RTSP for longer than a session', { skip: rtspServerMissing, concurrency: 2 }, () => {
  for (const transport of ['tcp', 'udp'] as const)
    it(`its pictures and its sound stay whole and in step over ${transport.toUpperCase()}`, async (t) => {
      const dir = folder(t);
      const { port } = await startRtspServer(t, makeCountedClip(join(dir, 'long.mp4'), PICTURES), {
        transports: [transport],
        isOnce: true,
      });
      const from = source('Stream', { url: `rtsp://127.0.0.1:${port}/live`, transport });
      const outputs = [output(21, 'HLS / TS', QUICK.output)];
      const runner = startRunner(t, dir, runSpec('camera', from, outputs, { renditions: [openRendition()] }));
      await running(runner);
      await letPass(SESSION_MS);
      assert.deepEqual(
        runner.events().filter(({ kind }) => kind === 'source_lost'),
        [],
      );
      const recording = broadcast(dir, 1);
      const { pictures, missing, repeated } = flowOf(numbersIn(recording), PICTURES);
      const offsets = soundOffsets(timelineOf(recording));
      assert.ok(offsets.length > 1, 'flashes and beeps');
      const median = offsets.map(Math.abs).sort((a, b) => a - b)[Math.floor(offsets.length / 2)]!;
      t.diagnostic(`sound ${(median * 1000).toFixed(1)} ms beside its picture`);
      assert.ok(pictures > 200, `${pictures} pictures`);
      assert.deepEqual({ missing, repeated }, { missing: 0, repeated: 0 });
      assert.ok(median <= MAX_OFFSET, offsets.join(' '));
    });
});
