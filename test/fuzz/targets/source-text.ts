/** The text that ffmpeg prints about a source: names and tags in it are the stranger's. */
import assert from 'node:assert/strict';
import { inputFacts } from '../../../device/media/scte35/cue-reader.ts';
import { LineSplitter } from '../../../device/media/ffmpeg-output/line-splitter.ts';
import { ProgressReader } from '../../../device/media/ffmpeg-output/progress.ts';
import { redactorFor } from '../../../device/media/ffmpeg-output/redact.ts';
import { NO_FACTS, withLine } from '../../../device/media/ffmpeg-output/source-facts.ts';
import { rateOf } from '../../../device/media/ladder/usual-rate.ts';
import type { RunSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import { pieces, type FuzzTarget } from '../target.ts';

const SECRET = 'dont-tell';
const spec = { source: { settings: { stream_key: SECRET } }, outputs: [] } as unknown as RunSpec;
const { redact } = redactorFor(spec);

export const target: FuzzTarget = {
  seeds: [
    "Input #0, mpegts, from 'udp://127.0.0.1:5000?key=1':\n  Duration: N/A, start: 1.400000, bitrate: N/A\n",
    '[info]  Stream #0:0[0x100]: Video: h264 (High) ([27][0][0][0] / 0x001B), yuv420p, 64x64, 25 fps, 50 tbr, 90k tbn\n',
    '  Stream #0:2[0x1f0](eng): Data: scte_35 ([134][0][0][0] / 0x0086)\r  Duration: 00:00:10.00, start: -0.1e4',
    `[tcp @ 0x55] Connection to tcp://a:${SECRET}@b/c failed: https://x.example/${SECRET}?token=2 'rtmp://h/app/key'\n`,
    'frame=10\nfps=25.0\ntotal_size=N/A\nout_time_us=400000\nspeed=1.0x\nprogress=continue\n',
  ].map((text) => Buffer.from(text)),
  run(bytes) {
    const lines: string[] = [];
    const splitter = new LineSplitter((line) => lines.push(line));
    const progress = new ProgressReader((now) => {
      for (const value of Object.values(now)) assert.ok(Number.isFinite(value));
    });
    for (const part of pieces(bytes, bytes.length)) {
      splitter.push(part);
      progress.push(part);
    }
    const rate = rateOf(lines.reduce(withLine, NO_FACTS));
    assert.ok(rate === undefined || (rate >= 10 && rate <= 60));
    for (const line of lines) {
      const { startSeconds, cuePid } = inputFacts(line);
      assert.ok(startSeconds === undefined || Number.isFinite(startSeconds), `the source starts at ${startSeconds}`);
      assert.ok(cuePid === undefined || Number.isFinite(cuePid));
      assert.ok(!redact(line).includes(SECRET));
    }
  },
};
