/** A copied source that is coded in another way from one keyframe on: every output begins anew there, and shows all that came. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { liveDir, recordingsDir } from '../../../device/run-dir.ts';
import { cleanUp, type TestScope } from '../../helpers/clean-up.ts';
import { HLS } from '../../helpers/hls.ts';
import { freePort } from '../../helpers/ports.ts';
import { until } from '../../helpers/until.ts';
import { rtmpOrder, startPush } from '../push/push-fixture.ts';
import { capture } from './receivers.ts';
import { picturesIn, rtmpSink } from './rtmp-sink.ts';
import { ffprobe, folder, running, startRunner } from './runner-fixture.ts';
import { LIVESTREAM_ID, output, rendition, runSpec, source } from './specs.ts';

interface Form {
  size: string;
  rate: number;
  channels: number;
}
const WIDE: Form = { size: '128x72', rate: 48_000, channels: 2 };
const TALL: Form = { size: '72x128', rate: 44_100, channels: 1 };

/** A second of media, without the header of the file. */
function secondOf({ size, rate, channels }: Form): Buffer {
  const picture = ['-f', 'lavfi', '-i', `testsrc2=size=${size}:rate=10`];
  const sound = ['-f', 'lavfi', '-i', `sine=frequency=440:sample_rate=${rate}`];
  const codecs = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '5', '-pix_fmt', 'yuv420p'];
  const audio = ['-c:a', 'aac', '-b:a', '48k', '-ac', String(channels), '-ar', String(rate)];
  const args = ['-v', 'error', ...picture, ...sound, '-t', '1', ...codecs, ...audio, '-f', 'flv', 'pipe:1'];
  return execFileSync('ffmpeg', args).subarray(13);
}

/** The same at another time. */
function shifted(tags: Buffer, ms: number): Buffer {
  const bytes = Buffer.from(tags);
  for (let at = 0; at < bytes.length; at += 15 + bytes.readUIntBE(at + 1, 3)) {
    const time = bytes.readUIntBE(at + 4, 3) + ms;
    bytes.writeUIntBE(time & 0xffffff, at + 4, 3);
  }
  return bytes;
}

/** An encoder that sends one second after the other in the form that is set. */
function encoder(t: TestScope, first: Form, ...to: string[]): { form: Form; sent: Map<Form, number> } {
  const header = Buffer.from('464c5601050000000900000000', 'hex');
  const seconds = new Map([WIDE, TALL].map((form) => [form, secondOf(form)]));
  const child = spawn('ffmpeg', ['-v', 'error', '-re', '-f', 'flv', '-i', 'pipe:0', '-c', 'copy', ...to], {
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  cleanUp(t, () => void child.kill('SIGKILL'));
  child.stdin.on('error', () => undefined);
  const own = { form: first, sent: new Map<Form, number>() };
  let ms = 0;
  const next = (): void => {
    own.sent.set(own.form, (own.sent.get(own.form) ?? 0) + 1);
    const tags = shifted(seconds.get(own.form)!, ms);
    ms += 1000;
    child.stdin.write(ms === 1000 ? Buffer.concat([header, tags]) : tags, () => next());
  };
  next();
  return own;
}

const KEY = 'canary-key-1';

test('a pushed source that changes its size and its sound in mid-stream', async (t) => {
  const dir = folder(t);
  const port = await freePort();
  const from = source('RTMP-Push', { app: 'live', stream_key: KEY, port });
  const push = await startPush(t, dir, rtmpOrder(from.channelId, port, { stream_key: KEY }));
  const sender = encoder(t, WIDE, '-f', 'flv', `rtmp://127.0.0.1:${port}/live/${KEY}`);
  await until('receiving', async () => (await push.report(from.channelId)).video !== null);
  const sink = await rtmpSink(t);
  const datagrams = await capture(t);
  const outputs = [
    output(21, 'HLS / TS', { segment_duration: 1, playlist_length: 500 }),
    output(22, 'CMAF', { segment_duration: 1, playlist_length: 500 }),
    output(31, 'RTMP', { url: `rtmp://127.0.0.1:${sink.port}/live`, stream_key: 'k' }),
    output(32, 'STREAM', { url: `udp://127.0.0.1:${datagrams.port}` }),
    output(41, 'Record'),
  ];
  const copied = rendition(11, 320, 180, 800, { codec: 'copy' });
  const renditions = [{ ...copied, audio: { ...copied.audio!, codec: 'copy' as const } }];
  const runner = startRunner(t, dir, runSpec('turned', from, outputs, { renditions, startTimeoutSeconds: 120 }));
  await running(runner);
  const playlist = (id: number, track = '11'): HLS.types.MediaPlaylist =>
    HLS.parse(readFileSync(join(liveDir(dir, LIVESTREAM_ID, id), track, 'index.m3u8'), 'utf8')) as HLS.types.MediaPlaylist;
  const listed = (): number => existsSync(join(liveDir(dir, LIVESTREAM_ID, 21), '11', 'index.m3u8')) ? playlist(21).segments.length : 0;
  await until('segments', () => listed() > 2);
  sender.form = TALL;
  await until('the event', () => runner.events().some(({ kind }) => kind === 'source_format_changed'));
  const known = playlist(21).segments.length;
  await until('more segments', () => playlist(21).segments.length > known + 3);
  await runner.stop();
  assert.equal(await runner.exited, 0);
  const sources = runner.events().filter(({ kind }) => kind.startsWith('source_'));
  console.error(sources, runner.events().map(({ kind, message }) => `${kind} ${message}`));
  console.error(readFileSync(join(liveDir(dir, LIVESTREAM_ID, 21), '11', 'index.m3u8'), 'utf8'));
  console.error(readdirSync(liveDir(dir, LIVESTREAM_ID, 22)), readdirSync(recordingsDir(dir, LIVESTREAM_ID)));
  for (const name of readdirSync(liveDir(dir, LIVESTREAM_ID, 22))) if (/^\d+$/u.test(name)) console.error(readFileSync(join(liveDir(dir, LIVESTREAM_ID, 22), name, 'index.m3u8'), 'utf8'));
  console.error(readFileSync(join(liveDir(dir, LIVESTREAM_ID, 22), 'manifest.mpd'), 'utf8'));
  for (const name of readdirSync(recordingsDir(dir, LIVESTREAM_ID))) console.error(ffprobe(join(recordingsDir(dir, LIVESTREAM_ID), name), '-count_frames', '-show_entries', 'stream=codec_name,width,height,sample_rate,channels,nb_read_frames'));
  const { writeFileSync } = await import('node:fs');
  writeFileSync('/tmp/copies/out.ts', Buffer.concat(datagrams.datagrams.map(({ data }) => data)));
  const got = picturesIn(sink.messages);
  writeFileSync('/tmp/copies/out.h264', got.annexB);
  console.error(got.configurations, got.frames.length, sink.messages.filter(({ type }) => type === 18).length, sink.messages.filter(({type, body}) => type === 8 && body[1] === 0).map(({body}) => body.toString('hex')));
  execFileSync('cp', ['-r', liveDir(dir, LIVESTREAM_ID, 21), '/tmp/copies/hls']);
  execFileSync('cp', ['-r', liveDir(dir, LIVESTREAM_ID, 22), '/tmp/copies/cmaf']);
  execFileSync('cp', ['-r', recordingsDir(dir, LIVESTREAM_ID), '/tmp/copies/rec']);
  execFileSync('cp', [runner.files.log, '/tmp/copies/run.log']);
});
