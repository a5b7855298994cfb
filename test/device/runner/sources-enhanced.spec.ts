/** Enhanced RTMP of an encoder that pushes: on air copied and encoded, with what changes while it sends. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { RunReport } from '../../../domain/shapes/broadcasts/run.ts';
import { liveDir, recordingsDir } from '../../../device/run-dir.ts';
import { encode, enhancedMessages, frameHashes, plainAac, tracksOf } from '../../helpers/enhanced-tags.ts';
import { freePort } from '../../helpers/ports.ts';
import { rtmpEncoder } from '../../helpers/rtmp-encoder.ts';
import { pitchOf, TRACKS } from '../../helpers/tracks.ts';
import { until } from '../../helpers/until.ts';
import { rtmpOrder, startPush } from '../push/push-fixture.ts';
import { sendMessages } from './paced-messages.ts';
import { ffprobe, folder, running, startRunner } from './runner-fixture.ts';
import { LIVESTREAM_ID, output, QUICK, rendition, runSpec, source } from './specs.ts';

const X265 = 'log-level=error:bframes=3:b-adapt=0:keyint=25:min-keyint=25:scenecut=0:open-gop=0';
const HEVC = ['-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params', X265];
const OPUS = ['-c', 'libopus', '-b', '64k'];
const KEY = 'canary-key-1';
const COPIED_ID = LIVESTREAM_ID + 1;
const copied = rendition(11, 320, 180, 800, { codec: 'copy' });
const COPY = [{ ...copied, audio: { ...copied.audio!, codec: 'copy' as const } }];

/** Messages of a part of `sendMessages`, which begin at 0. */
function part(messages: ReturnType<typeof enhancedMessages>): Parameters<typeof sendMessages>[2][number] {
  return messages.map((message) => ({ ...message, stream: 1 })).sort((a, b) => a.time - b.time);
}

function segments(dir: string, livestreamId: number): string[] {
  const live = join(liveDir(dir, livestreamId, 21), '11');
  return readdirSync(live)
    .filter((name) => name.endsWith('.ts'))
    .sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10))
    .map((name) => join(live, name));
}

/** As OBS sends: HEVC, plain AAC, and a second track of sound by multitrack. */
function likeObs(file: string): ReturnType<typeof part> {
  const [video, aac, opus] = tracksOf(file);
  const without = { ...aac!, frames: [], configuration: undefined };
  return part([...enhancedMessages([video!, without, opus!]), ...plainAac(aac!)]);
}

test('HEVC with B-frames, AAC and a second track of Opus is copied picture by picture, encoded and recorded, and begins anew with another size', async (t) => {
  const dir = folder(t);
  const port = await freePort();
  const from = source('RTMP-Push', { app: 'live', stream_key: KEY, port });
  const push = await startPush(t, dir, rtmpOrder(from.channelId, port, { stream_key: KEY }));
  const [small, larger] = ['160x90', '192x108'].map((size) =>
    encode(join(dir, `${size}.mkv`), { video: HEVC, audio: [['-c', 'aac'], OPUS], size }),
  );
  const encoder = await rtmpEncoder({ port, app: 'live', key: KEY });
  const sent = sendMessages(t, encoder, [small!, larger!, larger!].map(likeObs), 2);
  await until('a rate', async () => (await push.report(from.channelId)).video?.fps === 25);
  const { video, audio } = await push.report(from.channelId);
  assert.deepEqual([video?.codec, video?.width, video?.height], ['hevc', 160, 90]);
  assert.deepEqual(
    audio.map(({ codec, channels, sample_rate }) => [codec, channels, sample_rate]),
    ['aac', 'opus'].map((codec) => [codec, 1, 48_000]),
  );

  const second = { track: 1, language: null, name: null, default: true };
  const renditions = [rendition(11, 160, 90, 200, QUICK.rendition)];
  const spec = { renditions, audio: [second], startTimeoutSeconds: 60 };
  const encoded = startRunner(t, dir, runSpec('encoded', from, [output(21, 'HLS / TS', QUICK.output)], spec));
  const outputs = [output(21, 'HLS / TS', { playlist_length: 120 }), output(41, 'Record')];
  const copySpec = { renditions: COPY, livestreamId: COPIED_ID, startTimeoutSeconds: 60 };
  const copy = startRunner(t, dir, runSpec('copied', from, outputs, copySpec));
  await running(encoded);
  await running(copy);
  await until('encoded segments', () => segments(dir, LIVESTREAM_ID).length >= 3);
  await until('copied segments', () => segments(dir, COPIED_ID).length >= 3);
  const pictures = frameHashes(small!, 'v:0');
  const got = segments(dir, COPIED_ID)
    .slice(0, 2)
    .flatMap((path) => frameHashes(path, 'v:0'));
  const at = pictures.indexOf(got[0]!);
  assert.ok(at >= 0 && got.length >= 50, `${at} of ${got.length}`);
  assert.deepEqual(got, [...pictures, ...pictures, ...pictures].slice(at, at + got.length));
  const encodedCount = segments(dir, LIVESTREAM_ID).length;
  assert.equal(pitchOf(segments(dir, LIVESTREAM_ID)[2]!, 0), TRACKS[1]!.pitch);
  // A source has a form once three seconds of its pictures had it; before, a slow machine may have shown the slate.
  await until('more of the source', () => segments(dir, LIVESTREAM_ID).length >= encodedCount + 8);

  sent.next();
  await until('the other size', async () => (await push.report(from.channelId)).video?.width === 192);
  const widthOf = (path: string): string => ffprobe(path, '-select_streams', 'v', '-show_entries', 'stream=width');
  await until('it is copied', () => /width=192/u.test(widthOf(segments(dir, COPIED_ID).at(-1)!)));
  await until('it is on air', async () => (await encoded.report()).source.state === 'up');
  for (const runner of [encoded, copy]) {
    await until('an event', () => runner.events().some(({ kind }) => kind === 'source_format_changed'));
    await runner.stop();
    assert.equal(await runner.exited, 0);
  }
  const kept = recordingsDir(dir, COPIED_ID);
  const sizes = readdirSync(kept).map((name) =>
    ffprobe(join(kept, name), '-show_entries', 'stream=codec_name,width').replaceAll(/\s+/gu, ' ').trim(),
  );
  assert.deepEqual(
    sizes.sort(),
    [160, 192].map((width) => `codec_name=hevc|width=${width} codec_name=aac`),
  );
});

test('AV1 is refused by name where it would have to be copied', async (t) => {
  const dir = folder(t);
  const port = await freePort();
  const from = source('RTMP-Push', { app: 'live', stream_key: KEY, port });
  const push = await startPush(t, dir, rtmpOrder(from.channelId, port, { stream_key: KEY }));
  const { publishing } = await rtmpEncoder({ port, app: 'live', key: KEY });
  // Its configuration alone, of 128x96 in PQ.
  const body = Buffer.from('90617630 3181004c000a0d0000000337fbe017c284880482'.replace(' ', ''), 'hex');
  publishing.media({ type: 9, time: 0, body });
  await until('its form', async () => (await push.report(from.channelId)).video !== null);
  const { video } = await push.report(from.channelId);
  assert.deepEqual([video?.codec, video?.width, video?.height, video?.hdr], ['av1', 128, 96, 'HDR10']);
  const runner = startRunner(t, dir, runSpec('av1', from, [output(21, 'HLS / TS')], { renditions: COPY }));
  await runner.exited;
  const { error } = JSON.parse(readFileSync(runner.files.final, 'utf8')) as RunReport;
  assert.match(error!, /it sends AV1, which a copy cannot carry; use an Encoding with h264 or hevc/u);
});
