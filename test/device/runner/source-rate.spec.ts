/** Renditions at the rate of their source. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { RunSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import { liveDir } from '../../../device/run-dir.ts';
import { NO_FACTS, withLine } from '../../../device/media/ffmpeg-output/source-facts.ts';
import { FlvFacts } from '../../../device/media/rtmp/flv-facts.ts';
import { writeAmf } from '../../../device/media/rtmp/rtmp-amf0.ts';
import { rateOf } from '../../../device/media/ladder/usual-rate.ts';
import { ffprobe, folder, running, startRunner } from './runner-fixture.ts';
import { itLong } from '../../helpers/counts.ts';
import { until } from '../../helpers/until.ts';
import { fileSource, LIVESTREAM_ID, output, rendition, runSpec } from './specs.ts';

test('the words of ffmpeg about a source are read as a rate of the field', () => {
  const rateIn = (rates: string, more: { live?: boolean; fields?: boolean } = {}): number | undefined => {
    const { live = true, fields = false } = more;
    const lines = [
      "[info] Input #0, mpegts, from 'x':",
      `[info]   Duration: ${live ? 'N/A' : '00:00:10.00'}, start: 0.0`,
      `[info]   Stream #0:0: Video: h264 (High), yuv420p(${fields ? 'top first' : 'progressive'}), 640x360 [SAR 1:1 DAR 16:9], 800 kb/s, ${rates}`,
    ];
    return rateOf(lines.reduce(withLine, NO_FACTS));
  };
  const rates = ['25', '29.97', '23.98', '59.94', '50.1', '29.99', '119.88'];
  const read = rates.map((rate) => rateIn(`${rate} fps, ${rate} tbr, 90k tbn`));
  assert.deepEqual(read, [25, 29.97, 23.976, 59.94, 50, 30, 59.94]);
  assert.equal(rateIn('60 fps, 29.97 tbr'), 29.97, 'a live source is measured, not believed');
  assert.equal(rateIn('15 fps, 29.97 tbr'), 29.97);
  assert.equal(rateIn('25 fps, 50 tbr', { fields: true }), 25, 'fields are no pictures');
  assert.equal(rateIn('29.97 fps, 59.94 tbr', { live: false }), 29.97, 'the mean of a file is measured');
  assert.equal(rateIn('34.42 fps, 50 tbr', { live: false }), 50, 'each picture of a varying rate has its instant');
  assert.equal(rateIn('34.42 fps, 90k tbr', { live: false }), 48, 'else its mean is rounded up');
  assert.equal(rateIn('90k tbr'), undefined);
});

/** avcC of 64x64, behind the head of an FLV configuration. */
const CONFIGURATION = Buffer.from(
  `17000000000142c00affe100166742c00ada109b011000000300100000030320f1226a01000468ce0fc8`,
  'hex',
);

test('a pusher has its rate after half a second of times in whole milliseconds, at whatever phase they begin', () => {
  const wrong: string[] = [];
  for (const rate of [24_000 / 1001, 24, 25, 30_000 / 1001, 30, 50, 60_000 / 1001, 60])
    for (let phase = 0; phase < 1; phase += 0.05)
      for (const declared of [rate, Number(rate.toFixed(2)), 15]) {
        const facts = new FlvFacts();
        facts.take({ type: 18, stream: 1, time: 0, body: writeAmf('onMetaData', { framerate: declared }) });
        facts.take({ type: 9, stream: 1, time: 0, body: CONFIGURATION });
        const picture = (n: number): void =>
          facts.take({
            type: 9,
            stream: 1,
            time: Math.floor(phase + (n * 1000) / rate),
            body: Buffer.from([0x27, 1, 0, 0, 0]),
          });
        for (let n = 0; typeof facts.video?.fps !== 'number'; n += 1) picture(n);
        const isRight = Math.abs(facts.video.fps - rate) < (declared === 15 ? rate * 0.0025 : 0.001);
        if (!isRight) wrong.push(`${facts.video.fps} for ${rate}, ${declared} declared, phase ${phase.toFixed(2)}`);
      }
  assert.deepEqual(wrong, []);
});

itLong('a run at the rate of its source takes that of a file, and keeps it', async (t) => {
  const dir = folder(t);
  for (const [given, rate] of [
    ['25', '25/1'],
    ['24000/1001', '24000/1001'],
  ] as const) {
    const path = join(dir, `${given.length}.mp4`);
    const picture = ['-f', 'lavfi', '-i', `testsrc2=s=160x90:r=${given}`, '-f', 'lavfi', '-i', 'sine=r=48000'];
    const coding = ['-t', '4', '-c:v', 'libx264', '-pix_fmt', 'yuv420p'];
    execFileSync('ffmpeg', ['-v', 'error', '-y', ...picture, ...coding, path]);
    const spec = runSpec(`rate-${given.length}`, fileSource(path), [output(21, 'HLS / TS')], {
      renditions: [{ ...rendition(11, 160, 90, 200), fpsOfSource: true }],
    });
    const runner = startRunner(t, dir, spec);
    await running(runner);
    const playlist = join(liveDir(dir, LIVESTREAM_ID, 21), '11/index.m3u8');
    await until('segments', () => readText(playlist).split('#EXTINF').length > 3);
    await runner.stop();
    assert.equal(await runner.exited, 0);
    assert.match(ffprobe(playlist, '-show_entries', 'stream=r_frame_rate'), new RegExp(`r_frame_rate=${rate}`, 'u'));
    const kept = JSON.parse(readFileSync(runner.files.spec, 'utf8')) as RunSpec;
    assert.equal(kept.renditions[0]!.fpsOfSource, undefined);
    assert.ok([25, 23.976].includes(kept.renditions[0]!.video!.fps));
  }
});

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
