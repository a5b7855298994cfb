/** Cues that a source brings along, on the picture that they were meant for. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { breakIn, breakOut } from '../../../device/media/scte35/cue-message.ts';
import { PACKET_BYTES, PacketSplitter, pidOf } from '../../../device/media/mpeg-ts/mpeg-ts.ts';
import { decodeSplice, encodeSplice, spliceTicks } from '../../../device/media/scte35/scte35.ts';
import { someOf } from '../../helpers/counts.ts';
import { SectionAssembler } from '../../../device/media/mpeg-ts/program-reader.ts';
import { CUE_PID } from '../../../device/media/mpeg-ts/ts-metadata.ts';
import { TransportInjector } from '../../helpers/transport-injector.ts';
import { liveDir } from '../../../device/run-dir.ts';
import type { RunSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import { folder, running, startRunner } from './runner-fixture.ts';
import { until } from '../../helpers/until.ts';
import { sendAtPace } from './paced-datagrams.ts';
import { capture, continuityErrors } from './receivers.ts';
import { LIVESTREAM_ID, output, rendition, runSpec, source } from './specs.ts';
import type { TestScope } from '../../helpers/clean-up.ts';
import { freePort } from '../../helpers/ports.ts';
import { startWebServer } from './web-server.ts';

const TICKS = 90_000;
const FPS = 30;
/** Ticks of the source's own clock. */
const [OUT_AT, IN_AT] = [112, 115];
const EVENT = 4711;

/** Black, white from the cue's instant to its end, black again: what a viewer sees tells when the break is. */
function plain(): Buffer {
  const white = `between(t,${OUT_AT - 100},${IN_AT - 100 - 1 / FPS / 2})`;
  const picture = `color=black:s=160x90:r=${FPS},drawbox=color=white:t=fill:enable='${white}'`;
  const codecs = ['-c:v', 'libx264', '-preset', 'ultrafast', '-bf', '0', '-g', '15', '-c:a', 'aac', '-b:a', '64k'];
  return execFileSync(
    'ffmpeg',
    [
      ...['-v', 'error', '-f', 'lavfi', '-i', picture, '-f', 'lavfi', '-i', 'sine=r=48000', '-t', '22', ...codecs],
      ...['-output_ts_offset', '100', '-muxdelay', '0', '-muxpreload', '0', '-mpegts_flags', '+resend_headers'],
      ...['-f', 'mpegts', 'pipe:1'],
    ],
    { maxBuffer: 64 << 20 },
  );
}

const OUT = encodeSplice(breakOut({ eventId: EVENT, ticks: OUT_AT * TICKS, durationTicks: 3 * TICKS }));

function marked(): Buffer {
  const injector = new TransportInjector({ cues: true, id3: true });
  injector.insertCue(OUT, (OUT_AT - 2) * TICKS);
  injector.insertCue(OUT, (OUT_AT - 1) * TICKS);
  injector.insertCue(encodeSplice(breakIn({ eventId: EVENT, ticks: IN_AT * TICKS })), (IN_AT - 1) * TICKS);
  return injector.push(plain());
}

/** Segments of a second, and tags in front of those in which the break begins and ends. */
function playlist(dir: string): string {
  writeFileSync(join(dir, 'plain.ts'), plain());
  const copied = ['-y', '-copyts', '-i', join(dir, 'plain.ts'), '-c', 'copy', '-muxdelay', '0'];
  const cut = ['-f', 'hls', '-hls_time', '1', '-hls_list_size', '0', '-hls_segment_filename', join(dir, 's%d.ts')];
  execFileSync('ffmpeg', ['-v', 'error', ...copied, ...cut, join(dir, 'cut.m3u8')]);
  const tags: Record<number, string[]> = {
    [OUT_AT - 100]: [`#EXT-OATCLS-SCTE35:${OUT.toString('base64')}`, '#EXT-X-CUE-OUT:3'],
    [IN_AT - 100]: ['#EXT-X-CUE-IN'],
  };
  const segments = Array.from({ length: 22 }, (_, n) => [...(tags[n] ?? []), '#EXTINF:1,', `s${n}.ts`]).flat();
  return ['#EXTM3U', '#EXT-X-TARGETDURATION:1', '#EXT-X-PLAYLIST-TYPE:VOD', ...segments, '#EXT-X-ENDLIST'].join('\n');
}

interface Seen {
  out: number;
  in: number;
  count: number;
  /** Seconds of the first and the last white picture's end. */
  white: [number, number];
}

function see(path: string): Seen {
  const data = new PacketSplitter().push(readFileSync(path));
  const sections = new SectionAssembler();
  const cues: { isOut: boolean; seconds: number }[] = [];
  for (let at = 0; at < data.length; at += PACKET_BYTES) {
    if (pidOf(data, at) !== CUE_PID) continue;
    for (const section of sections.push(data, at)) {
      const { info } = decodeSplice(section);
      if (info?.command.kind !== 'splice_insert' || info.command.eventId !== EVENT) continue;
      cues.push({ isOut: info.command.event?.outOfNetwork === true, seconds: spliceTicks(info)! / TICKS });
    }
  }
  const graph = `movie=${path},signalstats`;
  const entries = 'frame=pts_time:frame_tags=lavfi.signalstats.YAVG';
  const text = execFileSync(
    'ffprobe',
    ['-v', 'error', '-f', 'lavfi', '-i', graph, '-show_entries', entries, '-of', 'csv=p=0'],
    {
      encoding: 'utf8',
      maxBuffer: 16 << 20,
    },
  );
  const frames = text
    .trim()
    .split('\n')
    .map((line) => line.split(',').map(Number));
  const whites = frames.filter(([, brightness]) => brightness! > 150).map(([time]) => time!);
  return {
    out: cues.find(({ isOut }) => isOut)!.seconds,
    in: cues.find(({ isOut }) => !isOut)!.seconds,
    count: cues.length,
    white: [whites[0]!, whites.at(-1)! + 1 / FPS],
  };
}

async function passes(
  t: TestScope,
  name: string,
  from: RunSpec['source'],
  begin: () => void,
  { copy = false, times = 3 } = {},
): Promise<void> {
  const dir = folder(t);
  const receiver = await capture(t);
  const copied = rendition(11, 160, 90, 200, { codec: 'copy' });
  const renditions = copy
    ? [{ ...copied, audio: { ...copied.audio!, codec: 'copy' as const } }]
    : [rendition(11, 160, 90, 200)];
  const outputs = [
    output(21, 'HLS / TS', { segment_duration: 1, playlist_length: 60 }),
    output(41, 'STREAM', { url: `udp://127.0.0.1:${receiver.port}` }),
  ];
  const runner = startRunner(t, dir, runSpec(name, from, outputs, { renditions, scteMarkers: true }));
  begin();
  await running(runner);
  const cues = () => runner.events().filter(({ data }) => data.change === 'cue' && data.source === true);
  await until('the end of the break', () => cues().length === 2);
  const playlist = (): string => readFileSync(join(liveDir(dir, LIVESTREAM_ID, 21), '11', 'index.m3u8'), 'utf8');
  await until('its end is listed', () => playlist().includes('SCTE35-IN='));
  const text = playlist();
  await runner.stop();
  assert.equal(await runner.exited, 0);
  assert.deepEqual(runner.left(), []);
  const [out, back] = cues();
  assert.deepEqual([out!.data.id, back!.data.id], [EVENT, EVENT]);
  assert.equal(text.match(/SCTE35-OUT=/gu)?.length, 1, 'a cue that is repeated is one break');
  assert.ok(text.includes(`START-DATE="${out!.data.at as string}",PLANNED-DURATION=3.000`));

  const bytes = Buffer.concat(receiver.datagrams.map(({ data }) => data));
  assert.equal(continuityErrors(bytes), 0);
  const path = join(dir, 'out.ts');
  writeFileSync(path, bytes);
  const seen = see(path);
  const offs = [seen.out - seen.white[0], seen.in - seen.white[1]].map((off) => Math.round(off * 1000));
  t.diagnostic(`cue less picture: ${offs.join(' and ')} ms`);
  assert.equal(seen.count, times, 'each that came goes on');
  for (const off of offs) assert.ok(Math.abs(off) <= 1000 / FPS + 2, `${off} ms from its picture`);
}

test('cues of a file leave on the picture that they were meant for', async (attempt) => {
  const path = join(folder(attempt), 'marked.ts');
  writeFileSync(path, marked());
  const from = {
    channelId: 3,
    name: 'File',
    type: 'File',
    settings: { filename: 'marked.ts', loop: false },
    path,
  } as const;
  await passes(attempt, 'file', from, () => undefined);
});

for (const copy of someOf([false, true], 1))
  test(`cues of datagrams, ${copy ? 'copied' : 'encoded'}, leave on the picture that they were meant for`, async (attempt) => {
    const stream = marked();
    const port = await freePort();
    const from = source('Stream', { url: `udp://127.0.0.1:${port}` });
    await passes(attempt, 'datagrams', from, () => sendAtPace(attempt, stream, port, 100), { copy });
  });

for (const copy of someOf([true, false], 1))
  test(`cues of a playlist, ${copy ? 'copied' : 'encoded'}, leave on the picture that they were meant for`, async (attempt) => {
    const dir = folder(attempt);
    const text = playlist(dir);
    const web = await startWebServer(attempt, dir, { '/list.m3u8': (response) => void response.end(text) });
    const from = source('Stream', { url: `${web.url}/list.m3u8` });
    await passes(attempt, 'playlist', from, () => undefined, { copy, times: 2 });
  });
