/** HLS as a source: what a server gives, by our reader, and once in a broadcast. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createCipheriv } from 'node:crypto';
import { lookup } from 'node:dns';
import { readFileSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { parseNetworks, Reach, type ResolveAll } from '../../../domain/network/networks.ts';
import type { FeedPace } from '../../../device/media/arguments/input-feed.ts';
import { tsSegment } from '../../../device/media/hls/ts-segment.ts';
import type { SegmentMedia } from '../../../device/media/hls/units.ts';
import { HlsSource } from '../../../device/runner/hls/hls-source.ts';
import type { RenditionSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import { itLong } from '../../helpers/counts.ts';
import { cleanUp, type TestScope } from '../../helpers/clean-up.ts';
import { flowOf, makeCountedClip, soundOffsets, timelineOf } from '../../helpers/counted.ts';
import { until } from '../../helpers/until.ts';
import { folder, running, startRunner } from './runner-fixture.ts';
import { output, QUICK, rendition, runSpec, source } from './specs.ts';
import { rendered } from './viewing.ts';
import { startWebServer, type WebServer } from './web-server.ts';

const PICTURES = 300;
const KEY = Buffer.alloc(16, 7);
const GO = '/watch.m3u8';
const LIST = '/session/list.m3u8';

/** Two seconds of the clip each: TS, encrypted TS whose clock is 6 s ahead, fMP4, and fMP4 with another initialisation; the last as HEVC with `hevc`. */
function makeParts(dir: string, codec: 'h264' | 'hevc' = 'h264'): void {
  const whole = makeCountedClip(join(dir, 'whole.mp4'), PICTURES);
  const cut = (n: number, ...args: string[]): void =>
    void execFileSync(
      'ffmpeg',
      ['-nostdin', '-v', 'error', '-y', '-ss', String(2 * n), '-t', '2', '-i', whole, ...args],
      { cwd: dir },
    );
  const copied = ['-c', 'copy', '-muxdelay', '0', '-f', 'mpegts'];
  const fragmented = (name: string): string[] => [
    '-f',
    'hls',
    '-hls_time',
    '9',
    '-hls_segment_type',
    'fmp4',
    '-hls_fmp4_init_filename',
    `${name}.mp4`,
    '-hls_segment_filename',
    `${name}-%d.m4s`,
    `${name}.m3u8`,
  ];
  cut(0, ...copied, 'p0.ts');
  cut(1, ...copied, '-output_ts_offset', '8', 'plain.ts');
  const cipher = createCipheriv('aes-128-cbc', KEY, Buffer.alloc(16, 1));
  writeFileSync(
    join(dir, 'p1.ts'),
    Buffer.concat([cipher.update(readFileSync(join(dir, 'plain.ts'))), cipher.final()]),
  );
  cut(2, '-c', 'copy', ...fragmented('p2'));
  const others = [
    '-c:v',
    'libx264',
    '-preset',
    'ultrafast',
    '-profile:v',
    'main',
    '-bf',
    '2',
    '-pix_fmt',
    'yuv420p',
    '-g',
    '60',
    '-c:a',
    'aac',
    '-ar',
    '44100',
  ];
  cut(3, ...others, ...fragmented('p3'));
  cut(0, '-an', ...copied, 'pictures.ts');
  cut(0, '-vn', ...copied, 'sound.ts');
  const hevc = ['-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params', 'log-level=none:keyint=60', '-c:a', 'copy'];
  cut(4, ...(codec === 'hevc' ? [...hevc, ...copied.slice(2)] : copied), '-output_ts_offset', '8', 'p4.ts');
}

const PLAYLIST = `#EXTM3U
#EXT-X-TARGETDURATION:2
#EXT-X-PLAYLIST-TYPE:VOD
#EXTINF:2,
/p0.ts
#EXT-X-DISCONTINUITY
#EXT-X-KEY:METHOD=AES-128,URI="/key",IV=0x01010101010101010101010101010101
#EXTINF:2,
/p1.ts
#EXT-X-KEY:METHOD=NONE
#EXT-X-DISCONTINUITY
#EXT-X-MAP:URI="/p2.mp4"
#EXTINF:2,
/p2-0.m4s
#EXT-X-DISCONTINUITY
#EXT-X-MAP:URI="/p3.mp4"
#EXTINF:2,
/p3-0.m4s
#EXTINF:2,
/gone.m4s
#EXT-X-DISCONTINUITY
#EXTINF:2,
/p4.ts
#EXT-X-ENDLIST
`;

/** A visitor of the first address gets a cookie, without which all else is refused. */
async function sessionServer(t: TestScope, dir: string): Promise<WebServer> {
  const guarded = (body: () => string | Buffer) => (response: ServerResponse) =>
    void (response.req.headers.cookie === 'session=canary' ? response.end(body()) : response.writeHead(403).end());
  const files = ['p0.ts', 'p1.ts', 'p2.mp4', 'p2-0.m4s', 'p3.mp4', 'p3-0.m4s', 'p4.ts'];
  return startWebServer(t, dir, {
    [GO]: (response) => void response.writeHead(302, { 'set-cookie': 'session=canary; Path=/', location: LIST }).end(),
    [LIST]: guarded(() => PLAYLIST),
    '/key': guarded(() => KEY),
    ...Object.fromEntries(files.map((name) => [`/${name}`, guarded(() => readFileSync(join(dir, name)))])),
    '/unkeyed.m3u8': (response) =>
      void response.end(
        PLAYLIST.replace('/p0.ts', '/p1.ts')
          .replace('#EXT-X-DISCONTINUITY\n', '')
          .replace('#EXTINF:2,\n/p1.ts\n', '')
          .replace('"/key"', '"/gone.key"'),
      ),
    '/master.m3u8': (response) =>
      void response.end(
        '#EXTM3U\n#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="s",LANGUAGE="de",URI="sound.m3u8"\n#EXT-X-STREAM-INF:BANDWIDTH=9,AUDIO="s"\npictures.m3u8\n',
      ),
    '/pictures.m3u8': (response) => void response.end('#EXTM3U\n#EXTINF:2,\npictures.ts\n#EXT-X-ENDLIST\n'),
    '/sound.m3u8': (response) => void response.end('#EXTM3U\n#EXTINF:2,\nsound.ts\n#EXT-X-ENDLIST\n'),
    '/absent.m3u8': (response) => void response.end('#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\n/gone.ts\n'),
    '/drm.m3u8': (response) =>
      void response.end('#EXTM3U\n#EXT-X-KEY:METHOD=SAMPLE-AES,URI="/key"\n#EXTINF:2,\n/p0.ts\n'),
    '/inner.m3u8': (response) => void response.end('#EXTM3U\n#EXTINF:2,\nhttp://127.0.0.2:9/0.ts\n'),
  });
}

function hlsSource(t: TestScope, gaps: string[] = []): HlsSource {
  const reach = new Reach(parseNetworks('!127.0.0.2'), lookup as unknown as ResolveAll);
  const made = new HlsSource({
    reach,
    authorities: () => [],
    program: undefined,
    now: () => 0,
    onGap: (why) => void gaps.push(why),
  });
  cleanUp(t, () => made.close());
  return made;
}

/** All that a reader gets; left out: an ffmpeg that takes it as fast as it comes. */
async function all(hls: HlsSource, pace: FeedPace = { isPaced: false }): Promise<SegmentMedia> {
  const sink = new PassThrough();
  const chunks: Buffer[] = [];
  hls.attach(sink, pace);
  for await (const chunk of sink) chunks.push(chunk as Buffer);
  const { units, tracks } = tsSegment(Buffer.concat(chunks));
  assert.equal(tracks.filter(({ kind }) => kind === 'section').length, 1, 'there is a place for cues');
  return { units, tracks: tracks.filter(({ kind }) => kind !== 'section') };
}

test('parts with clocks of their own, a key, other initialisations and a missing segment become one stream without a step', async (t) => {
  const dir = folder(t);
  makeParts(dir);
  const web = await sessionServer(t, dir);
  const gaps: string[] = [];
  const hls = hlsSource(t, gaps);
  const { signal } = new AbortController();
  await hls.input(web.url + GO, signal);
  const { units, tracks } = await all(hls);
  assert.deepEqual(
    tracks.map(({ kind }) => kind),
    ['video', 'sound'],
  );
  const shown = units.flatMap(({ track, pts }) => (track.kind === 'video' ? [pts!] : [])).sort((a, b) => a - b);
  assert.equal(shown.length, PICTURES);
  const steps = new Set(shown.slice(1).map((pts, at) => Math.round((pts - shown[at]!) / 10) * 10));
  assert.deepEqual([...steps], [3000], 'one picture each thirtieth of a second');
  const decoded = units.flatMap(({ track, dts }) => (track.kind === 'video' ? [dts] : []));
  assert.ok(decoded.every((dts, at) => at === 0 || dts > decoded[at - 1]!));
  assert.deepEqual(gaps, ['its server refuses the request (404 Not Found)']);

  await hls.input(`${web.url}/master.m3u8`, signal);
  const apart = await all(hls);
  assert.deepEqual(
    apart.tracks.map(({ kind, descriptors }) => `${kind} ${descriptors.toString('latin1', 2, 4)}`),
    ['video ', 'sound de'],
  );
  const startsOf = (kind: string): number => apart.units.find(({ track }) => track.kind === kind)!.pts!;
  assert.equal(apart.units.filter(({ track }) => track.kind === 'video').length, 60);
  assert.ok(Math.abs(startsOf('video') - startsOf('sound')) < 9000, 'sound beside its pictures');
  for (const mayWait of [true, false]) {
    await hls.input(`${web.url}/master.m3u8`, signal);
    const due = await all(hls, { mayWait: () => mayWait });
    assert.deepEqual(due, apart, 'a reader of this process gets the same, when it is due');
  }
  await hls.input(`${web.url}/sound.m3u8`, signal);
  assert.deepEqual(
    (await all(hls)).tracks.map(({ kind }) => kind),
    ['sound'],
  );

  for (const [path, reason] of [
    ['/unkeyed.m3u8', /^the server of its key refuses it \(404 Not Found\)$/u],
    ['/absent.m3u8', /^its server refuses the request \(404 Not Found\)$/u],
    ['/inner.m3u8', /127\.0\.0\.2 is in a network that is refused/u],
  ] as const)
    await assert.rejects(hls.input(web.url + path, signal), (error: Error) => reason.test(error.message), path);
  assert.equal(await hls.input(`${web.url}/drm.m3u8`, signal), undefined, 'ffmpeg reads it');
  await assert.rejects(hlsSource(t).input(web.url + LIST, signal), /403 Forbidden/u);
});

const ENCODED = rendition(11, 320, 180, 800, QUICK.rendition);

/** Looks at what viewers get of the rendition. */
async function assertWhole(t: TestScope, made: RenditionSpec, codec?: 'hevc'): Promise<void> {
  const dir = folder(t);
  makeParts(dir, codec);
  const web = await sessionServer(t, dir);
  const spec = runSpec('hls', source('Stream', { url: web.url + GO }), [output(21, 'HLS / TS', QUICK.output)], {
    renditions: [made],
  });
  const runner = startRunner(t, dir, spec);
  await running(runner);
  const isCopied = made.video?.codec === 'copy';
  if (isCopied) assert.deepEqual(runner.children(), [], 'a copy needs no ffmpeg');
  await until('the second pass', () => web.requests.filter((path) => path === GO).length === 2);
  const { dropped } = (await runner.report()).encodings[0]!;
  await runner.stop();
  await runner.exited;
  const events = runner.events();
  assert.ok(!events.some(({ kind }) => kind === 'source_lost'), 'nothing was lost');
  assert.match(
    events.find(({ kind }) => kind === 'source_gap')!.message,
    /a segment is left out: .*\(404 Not Found\)/u,
  );
  const file = join(dir, 'seen.ts');
  writeFileSync(file, Buffer.concat(rendered(dir).map((path) => readFileSync(path))));
  const timeline = timelineOf(file);
  const end = timeline.pictures.findIndex((n, at) => at > 0 && n! < timeline.pictures[at - 1]!);
  const pictures = timeline.pictures.slice(0, end < 0 ? undefined : end);
  const text = pictures.map((n) => n ?? '-').join(',');
  // The last ones wait for their sound when the next pass begins.
  assert.ok(pictures.at(-1)! > PICTURES - 20 && !pictures.includes(undefined), text);
  const { missing } = flowOf(pictures, 10 * PICTURES);
  assert.ok(missing <= dropped, `${missing} pictures are missing: ${text}`);
  const offsets = soundOffsets({ ...timeline, pictures });
  assert.ok(offsets.length >= 4 && offsets.every((seconds) => Math.abs(seconds) < 0.1), offsets.join(', '));
}

test('viewers of a source by HLS see each picture once and in order over its discontinuities, with its sound', (t) =>
  assertWhole(t, ENCODED));

itLong('viewers of a source by HLS lose no picture where a part is in another codec', (t) =>
  assertWhole(t, ENCODED, 'hevc'),
);

itLong('copied video and sound of a source by HLS go on over its discontinuities', (t) => {
  const { video, audio } = ENCODED;
  return assertWhole(t, { ...ENCODED, video: { ...video!, codec: 'copy' }, audio: { ...audio!, codec: 'copy' } });
});
