/** Each codec of Enhanced RTMP on air: pictures come at their rate, and sound that has no other place. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { liveDir, recordingsDir } from '../../../device/run-dir.ts';
import {
  encode,
  enhancedMessages,
  frameHashes,
  tracksOf,
  type Packing,
  type Recipe,
} from '../../helpers/enhanced-tags.ts';
import { freePort } from '../../helpers/ports.ts';
import { rtmpEncoder } from '../../helpers/rtmp-encoder.ts';
import { pitchOf, TRACKS } from '../../helpers/tracks.ts';
import { until } from '../../helpers/until.ts';
import { rtmpOrder, startPush } from '../push/push-fixture.ts';
import { sendMessages } from './paced-messages.ts';
import { folder, running, startRunner } from './runner-fixture.ts';
import { LIVESTREAM_ID, output, QUICK, rendition, runSpec, source } from './specs.ts';
import { lastBrightness, rendered } from './viewing.ts';

const KEY = 'canary-key-1';
const OPUS = ['-c', 'libopus', '-b', '64k'];
const X265 = ['-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params', 'log-level=error:bframes=3:keyint=25'];
const CASES: [name: string, recipe: Recipe, packing: Packing, codec: string, hdr?: string][] = [
  [
    'HEVC of 10 bits in PQ',
    {
      video: [...X265, '-color_trc', 'smpte2084', '-color_primaries', 'bt2020', '-colorspace', 'bt2020nc'],
      pixels: 'yuv420p10le',
      audio: [OPUS],
    },
    'many tracks',
    'hevc',
    'HDR10',
  ],
  ['AV1', { video: ['-c:v', 'libsvtav1', '-preset', '12', '-g', '25'], audio: [OPUS] }, 'modified', 'av1'],
  [
    'VP9',
    { video: ['-c:v', 'libvpx-vp9', '-deadline', 'realtime', '-cpu-used', '8', '-g', '25'], audio: [['-c', 'flac']] },
    'one track',
    'vp9',
  ],
  ['VP8', { video: ['-c:v', 'libvpx', '-deadline', 'realtime', '-g', '25'], audio: [['-c', 'ac3']] }, 'plain', 'vp8'],
  [
    'H.264 beside Opus',
    { video: ['-c:v', 'libx264', '-preset', 'ultrafast', '-bf', '2', '-g', '25'], audio: [OPUS] },
    'many codecs',
    'h264',
  ],
];

for (const [name, recipe, packing, codec, hdr = null] of CASES)
  test(`${name} by Enhanced RTMP is on air with its sound, and is back after its encoder was`, async (t) => {
    const dir = folder(t);
    const port = await freePort();
    const from = source('RTMP-Push', { app: 'live', stream_key: KEY, port });
    const push = await startPush(t, dir, rtmpOrder(from.channelId, port, { stream_key: KEY }));
    const file = encode(join(dir, 'encoded.mkv'), { ...recipe, size: '160x90' });
    const messages = enhancedMessages(tracksOf(file), packing).map((message) => ({ ...message, stream: 1 }));
    const outputs = [output(21, 'HLS / TS', QUICK.output)];
    const renditions = [rendition(11, 160, 90, 200, QUICK.rendition)];
    const runner = startRunner(t, dir, runSpec('long', from, outputs, { renditions, startTimeoutSeconds: 60 }));
    const first = await rtmpEncoder({ port, app: 'live', key: KEY });
    sendMessages(t, first, [messages], 2);
    await running(runner);
    await until('segments', () => rendered(dir).length >= 3);
    assert.ok(lastBrightness(rendered(dir).at(-1)!) > 60);
    assert.equal(pitchOf(rendered(dir)[2]!, 0), TRACKS[0]!.pitch);
    const { video } = await push.report(from.channelId);
    assert.deepEqual([video?.codec, video?.width, video?.fps, video?.hdr], [codec, 160, 25, hdr]);
    first.socket.destroy();
    await until('the loss', () => runner.events().some(({ kind }) => kind === 'source_lost'));
    sendMessages(t, await rtmpEncoder({ port, app: 'live', key: KEY }), [messages], 2);
    await until('the return', () => runner.events().some(({ kind }) => kind === 'source_restored'));
    await runner.stop();
    assert.equal(await runner.exited, 0);
  });

test('Opus beside H.264 is copied into CMAF and a Recording, frame by frame', async (t) => {
  const dir = folder(t);
  const port = await freePort();
  const from = source('RTMP-Push', { app: 'live', stream_key: KEY, port });
  await startPush(t, dir, rtmpOrder(from.channelId, port, { stream_key: KEY }));
  const video = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '25'];
  const file = encode(join(dir, 'encoded.mkv'), { video, audio: [OPUS], size: '160x90' });
  const messages = enhancedMessages(tracksOf(file), 'plain').map((message) => ({ ...message, stream: 1 }));
  const copied = rendition(11, 160, 90, 200, { codec: 'copy' });
  const renditions = [{ ...copied, audio: { ...copied.audio!, codec: 'copy' as const } }];
  const outputs = [output(22, 'CMAF', { playlist_length: 120 }), output(41, 'Record')];
  const runner = startRunner(t, dir, runSpec('opus', from, outputs, { renditions, startTimeoutSeconds: 60 }));
  sendMessages(t, await rtmpEncoder({ port, app: 'live', key: KEY }), [messages], 2);
  await running(runner);
  const list = join(liveDir(dir, LIVESTREAM_ID, 22), '257', 'index.m3u8');
  await until(
    'segments of its sound',
    () => existsSync(list) && readFileSync(list, 'utf8').split('#EXTINF').length > 4,
  );
  assert.match(readFileSync(join(liveDir(dir, LIVESTREAM_ID, 22), 'index.m3u8'), 'utf8'), /CODECS="[^"]*opus/u);
  await runner.stop();
  assert.equal(await runner.exited, 0);
  assert.ok(!runner.events().some(({ data }) => data['change'] === 'packer'), 'no ffmpeg packs it');
  const folderOf = recordingsDir(dir, LIVESTREAM_ID);
  const [recording] = readdirSync(folderOf);
  const [sent, got] = [file, join(folderOf, recording!)].map((path) => frameHashes(path, 'a:0', true));
  const at = sent!.indexOf(got![0]!);
  // The clip ends with a packet that is cut, and is sent again and again.
  const whole = sent!.length - 1 - at;
  assert.ok(at >= 0 && whole > 10 && got!.length > 80, `${got!.length} from ${at} of ${sent!.length}`);
  assert.deepEqual(got!.slice(0, whole), sent!.slice(at, -1));
});
