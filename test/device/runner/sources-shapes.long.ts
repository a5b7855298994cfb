/** Sources as they come: other sizes, fields, channels and programs, and a format that changes on the way. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { planLadder } from '../../../device/media/ladder/ladder-plan.ts';
import { itLong, someOf } from '../../helpers/counts.ts';
import { longestStep, timesIn } from '../../helpers/counted.ts';
import { ffprobe, folder, running, startRunner } from './runner-fixture.ts';
import { until } from '../../helpers/until.ts';
import { fileSource, output, rendition, runSpec, source } from './specs.ts';
import { lastBrightness, loudness, rendered } from './viewing.ts';
import { startWebServer } from './web-server.ts';

const SMALL = { renditions: [rendition(11, 320, 180, 300)] };
const HLS = [output(21, 'HLS / TS', { playlist_length: 60 })];
const TONE = ['-f', 'lavfi', '-i', 'sine=frequency=440:sample_rate=48000'];
const QUICK = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '30', '-c:a', 'aac'];

function make(path: string, ...args: string[]): string {
  execFileSync('ffmpeg', ['-v', 'error', '-y', ...args, path]);
  return path;
}
const colour = (name: string, size: string, rate = 30): string[] => [
  '-f',
  'lavfi',
  '-i',
  `color=${name}:size=${size}:rate=${rate}`,
];

test('pictures and sound go on when size and sample rate of a source change in the middle', async (t) => {
  const dir = folder(t);
  const first = make(join(dir, 'a.ts'), ...colour('gray', '320x180'), ...TONE, '-t', '6', ...QUICK);
  const other = [...colour('white', '640x480'), ...TONE, '-t', '14', '-ar', '44100', '-ac', '1'];
  const second = make(join(dir, 'b.ts'), ...other, ...QUICK, '-output_ts_offset', '6');
  writeFileSync(join(dir, 'both.ts'), Buffer.concat([readFileSync(first), readFileSync(second)]));
  const web = await startWebServer(t, dir);
  const runner = startRunner(t, dir, runSpec('format', source('Stream', { url: `${web.url}/both.ts` }), HLS, SMALL));
  await running(runner);
  const [encoder, ingest] = ['pipe:5', 'both.ts'].map((part) => runner.childNamed(part));
  await until('the second format', () => lastBrightness(rendered(dir).at(-1)!) > 150);
  const count = rendered(dir).length;
  await until('more of it', () => rendered(dir).length >= count + 2);
  assert.ok(loudness(rendered(dir)[count]!) > -40, 'the tone, not the silence of the time before');
  assert.deepEqual(
    ['pipe:5', 'both.ts'].map((part) => runner.childNamed(part)),
    [encoder, ingest],
  );
  assert.ok(!runner.events().some(({ kind }) => /lost|restarted/u.test(kind)));
  const seen = join(dir, 'seen.ts');
  writeFileSync(seen, Buffer.concat(rendered(dir).map((path) => readFileSync(path))));
  assert.ok(longestStep(timesIn(seen)) < 0.05);
});

itLong('program and sound track of a source are those of the settings', async (t) => {
  const dir = folder(t);
  const silence = ['-f', 'lavfi', '-i', 'anullsrc=sample_rate=48000'];
  const inputs = [...colour('black', '320x180'), ...colour('white', '320x180'), ...silence, ...TONE];
  const maps = ['0:v', '2:a', '1:v', '2:a', '3:a'].flatMap((one) => ['-map', one]);
  const programs = ['program_num=1:st=0:st=1', 'program_num=2:st=2:st=3:st=4'].flatMap((one) => ['-program', one]);
  make(join(dir, 'two.ts'), ...inputs, ...maps, '-t', '20', ...QUICK, ...programs);
  assert.equal(ffprobe(join(dir, 'two.ts'), '-show_entries', 'program=program_num').match(/program_num=/gu)!.length, 2);
  const web = await startWebServer(t, dir);
  const from = source('Stream', { url: `${web.url}/two.ts`, program: 2, audiotrack: 1 });
  const runner = startRunner(t, dir, runSpec('program', from, HLS, SMALL));
  await running(runner);
  await until('a segment', () => rendered(dir).length >= 2);
  assert.ok(lastBrightness(rendered(dir)[1]!) > 150, 'the white picture');
  assert.ok(loudness(rendered(dir)[1]!) > -40, 'the tone');
});

const INTERLACED = ['-c:v', 'mpeg2video', '-flags', '+ildct+ilme', '-top', '1', '-b:v', '2M', '-c:a', 'mp2'];
const SHAPES = [
  [
    'an odd size with 5.1 sound',
    'odd.mkv',
    [...colour('white', '431x243'), ...TONE, '-ac', '6', '-pix_fmt', 'yuv444p', ...QUICK],
  ],
  [
    'anamorphic fields at 50 a second',
    'fields.ts',
    [...colour('white', '720x576', 25), ...TONE, '-vf', 'setsar=64/45,setfield=tff', ...INTERLACED],
  ],
  [
    '12 pictures a second with mono sound of 44100 Hz',
    'slow.mp4',
    [...colour('white', '320x180', 12), ...TONE, '-ar', '44100', '-ac', '1', ...QUICK],
  ],
  [
    'VP9 and Opus',
    'web.webm',
    [...colour('white', '320x180'), ...TONE, '-c:v', 'libvpx-vp9', '-deadline', 'realtime', '-c:a', 'libopus'],
  ],
  ['ProRes and PCM', 'camera.mov', [...colour('white', '320x180'), ...TONE, '-c:v', 'prores_ks', '-c:a', 'pcm_s16le']],
  [
    'HEVC of a phone that was held sideways',
    'phone.mov',
    [...colour('white', '180x320'), ...TONE, '-c:v', 'libx265', '-preset', 'ultrafast', '-metadata:s:v', 'rotate=90'],
  ],
] as const;
for (const [name, file, args] of someOf(SHAPES, 1)) {
  test(`a source of ${name} fills the picture`, async (t) => {
    const dir = folder(t);
    const path = make(join(dir, file), ...args.slice(0, 8), '-t', '10', ...args.slice(8));
    const renditions = [rendition(11, 320, 180, 300, { deinterlace: true })];
    const runner = startRunner(t, dir, runSpec('shape', fileSource(path), HLS, { renditions }));
    await running(runner);
    await until('a whole segment', () => rendered(dir).length >= 2);
    const segment = rendered(dir)[1]!;
    assert.ok(lastBrightness(segment) > 220, 'no bars');
    assert.ok(loudness(segment) > -40);
    assert.match(
      ffprobe(segment, '-show_entries', 'stream=width,height,channels'),
      /width=320\|height=180[^]*channels=2/u,
    );
  });
}

test('an Encoding of sound alone takes the sound of a source with pictures', async (t) => {
  const dir = folder(t);
  const path = make(join(dir, 'clip.mp4'), ...colour('white', '320x180'), ...TONE, '-t', '10', ...QUICK);
  const renditions = [{ ...rendition(11, 320, 180, 300), video: null }];
  assert.equal(planLadder(renditions).hasVideo, false);
  const runner = startRunner(t, dir, runSpec('radio', fileSource(path), HLS, { renditions }));
  await running(runner);
  await until('a whole segment', () => rendered(dir).length >= 2);
  assert.ok(loudness(rendered(dir)[1]!) > -40);
  assert.ok(!ffprobe(rendered(dir)[1]!, '-show_entries', 'stream=codec_type').includes('video'));
});
