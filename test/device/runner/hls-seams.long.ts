/** Twelve seams of a source by HLS in one broadcast: what viewers see and hear over clocks that jump and other initialisations. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { flowOf, makeCountedClip, soundOffsets, timelineOf } from '../../helpers/counted.ts';
import { until } from '../../helpers/until.ts';
import { folder, running, startRunner } from './runner-fixture.ts';
import { output, QUICK, rendition, runSpec, source } from './specs.ts';
import { rendered } from './viewing.ts';
import { startWebServer } from './web-server.ts';

const FPS = 30;
const SECONDS = 2;
/** The longest slate at a seam, in pictures. */
const MAX_SLATE = 0.2 * FPS;
/** How far the clock of each part in MPEG-TS jumps against the end of the one before; `again` has the same times as that one. */
const CLOCKS = [0, 4, 6, 10, 60, -4, -6, -10, -60, 'again'] as const;
/** Parts of fragmented MP4 follow: as the clip is, and by another encoder, with B-pictures and another rate of sound. */
const OTHER = [
  ...['-c:v', 'libx264', '-preset', 'ultrafast', '-profile:v', 'main', '-bf', '2', '-pix_fmt', 'yuv420p'],
  ...['-g', '60', '-c:a', 'aac', '-ar', '44100'],
];
const FRAGMENTED = [['-c', 'copy'], OTHER];
const PARTS = 1 + CLOCKS.length + FRAGMENTED.length;
const PICTURES = PARTS * SECONDS * FPS;

/** The parts as segments, and the playlist that puts a discontinuity between each two. */
function makeParts(dir: string): string {
  const whole = makeCountedClip(join(dir, 'whole.mp4'), PICTURES);
  const cut = (n: number, ...args: string[]): void => {
    const from = ['-nostdin', '-v', 'error', '-y', '-ss', String(SECONDS * n), '-t', String(SECONDS), '-i', whole];
    execFileSync('ffmpeg', [...from, ...args], { cwd: dir });
  };
  const lines: string[] = [
    '#EXTM3U',
    '#EXT-X-VERSION:7',
    `#EXT-X-TARGETDURATION:${SECONDS}`,
    '#EXT-X-PLAYLIST-TYPE:VOD',
  ];
  let begin = 100;
  const ts = (n: number): void => {
    cut(n, '-c', 'copy', '-muxdelay', '0', '-output_ts_offset', String(begin), '-f', 'mpegts', `p${n}.ts`);
    lines.push(`#EXTINF:${SECONDS},`, `/p${n}.ts`);
  };
  const fragmented = (n: number, coding: readonly string[]): void => {
    const hls = ['-f', 'hls', '-hls_time', '9', '-hls_segment_type', 'fmp4', '-hls_fmp4_init_filename', `p${n}.mp4`];
    cut(n, ...coding, ...hls, '-hls_segment_filename', `p${n}-%d.m4s`, `p${n}.m3u8`);
    lines.push(`#EXT-X-MAP:URI="/p${n}.mp4"`, `#EXTINF:${SECONDS},`, `/p${n}-0.m4s`);
  };
  ts(0);
  for (const [at, jump] of CLOCKS.entries()) {
    if (jump !== 'again') begin += SECONDS + jump;
    lines.push('#EXT-X-DISCONTINUITY');
    ts(at + 1);
  }
  for (const [at, coding] of FRAGMENTED.entries()) {
    lines.push('#EXT-X-DISCONTINUITY');
    fragmented(CLOCKS.length + 1 + at, coding);
  }
  return [...lines, '#EXT-X-ENDLIST', ''].join('\n');
}

const ENCODED = rendition(11, 320, 180, 800, QUICK.rendition);
const COPIED = {
  ...ENCODED,
  video: { ...ENCODED.video!, codec: 'copy' as const },
  audio: { ...ENCODED.audio!, codec: 'copy' as const },
};

/** The longest run of values that follow each other and are as asked. */
function longest<T>(values: readonly T[], isIt: (value: T, at: number) => boolean): number {
  let [run, most] = [0, 0];
  for (const [at, value] of values.entries()) most = Math.max(most, (run = isIt(value, at) ? run + 1 : 0));
  return most;
}

for (const [name, made] of [
  ['encoded', ENCODED],
  ['copied', COPIED],
] as const)
  test(`twelve seams of a source by HLS show all pictures, in order, with their sound and without a slate: ${name}`, async (t) => {
    const dir = folder(t);
    const playlist = makeParts(dir);
    // It is loaded again while it is read; only who begins again asks the first address.
    const web = await startWebServer(t, dir, {
      '/go.m3u8': (response) => void response.writeHead(302, { location: '/list.m3u8' }).end(),
      '/list.m3u8': (response) => void response.end(playlist),
    });
    const from = source('Stream', { url: `${web.url}/go.m3u8` });
    const spec = runSpec('seams', from, [output(21, 'HLS / TS', QUICK.output)], { renditions: [made] });
    const runner = startRunner(t, dir, spec);
    await running(runner);
    await until('the second pass', () => web.requests.filter((path) => path === '/go.m3u8').length === 2);
    const { dropped } = (await runner.report()).encodings[0]!;
    await runner.stop();
    await runner.exited;
    const file = join(dir, 'seen.ts');
    writeFileSync(file, Buffer.concat(rendered(dir).map((path) => readFileSync(path))));
    const timeline = timelineOf(file);
    const end = timeline.pictures.findIndex((n, at) => n! < timeline.pictures[at - 1]!);
    const pictures = timeline.pictures.slice(0, end < 0 ? undefined : end);
    const text = pictures.map((n) => n ?? '-').join(',');
    const { missing, repeated } = flowOf(pictures, 10 * PICTURES);
    const slate = longest(pictures, (n) => n === undefined);
    const held = longest(pictures, (n, at) => n === pictures[at - 1]);
    const offsets = soundOffsets({ ...timeline, pictures });
    const off = Math.max(...offsets.map((seconds) => Math.abs(seconds)));
    t.diagnostic(
      `${name}: ${missing} missing, ${repeated} repeated, ${held} in a row, slate for ${slate}, dropped ${dropped}; ` +
        `${offsets.length} beeps, off by ${(1000 * off).toFixed(0)} ms at most`,
    );
    assert.deepEqual(
      runner.events().flatMap(({ kind, message }) => (/^source_(?:lost|gap)$/u.test(kind) ? [message] : [])),
      [],
    );
    // The last ones wait for their sound when the next pass begins.
    assert.ok(pictures.at(-1)! > PICTURES - 20, text);
    assert.ok(slate <= MAX_SLATE, `slate for ${slate} pictures: ${text}`);
    assert.ok(missing <= dropped, `${missing} pictures are missing: ${text}`);
    assert.ok(offsets.length >= PARTS && off < 0.1, offsets.join(', '));
  });
