/** Copied video, in one run: what arrives over SRT and in HLS is what its source has. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { PACKET_BYTES, pidOf } from '../../../device/media/mpeg-ts/mpeg-ts.ts';
import { PMT_PID } from '../../../device/media/mpeg-ts/psi.ts';
import { liveDir } from '../../../device/run-dir.ts';
import { cleanUp } from '../../helpers/clean-up.ts';
import { HLS } from '../../helpers/hls.ts';
import { freePort } from '../../helpers/ports.ts';
import { until } from '../../helpers/until.ts';
import { change } from './changing.ts';
import { continuityErrors, decoded } from './receivers.ts';
import { clip, ffprobe, folder, running, startRunner } from './runner-fixture.ts';
import { fileSource, LIVESTREAM_ID, output, rendition, runSpec } from './specs.ts';

test('copied video begins with a segment as long as keyframes are apart, arrives over SRT byte for byte, and refuses other sources and crops', async (t) => {
  const dir = folder(t);
  const port = await freePort();
  const got = join(dir, 'got.ts');
  const listen = ['-v', 'error', '-nostdin', '-y', '-fflags', 'nobuffer', '-probesize', '32', '-f', 'data'];
  const url = `srt://[::1]:${port}?mode=listener&latency=2000000`;
  const sink = spawn('ffmpeg', [...listen, '-i', url, '-map', '0', '-c', 'copy', '-f', 'data', got], {
    stdio: 'ignore',
  });
  cleanUp(t, () => sink.kill('SIGKILL'));
  const copied = rendition(11, 320, 180, 800, { codec: 'copy' });
  const renditions = [{ ...copied, audio: { ...copied.audio!, codec: 'copy' as const } }];
  const outputs = [
    // A copy has segments of 6 s as they are by default; its first one ends at the second keyframe.
    output(21, 'HLS / TS', { segment_duration: 6, playlist_length: 120 }),
    output(31, 'SRT', {
      url: `srt://[::1]:${port}`,
      stream_key: '#!::r=live,m=publish',
      srt: { latency_ms: 2000, passphrase: null },
    }),
    output(41, 'Record'),
  ];
  const from = fileSource(clip(dir));
  const runner = startRunner(t, dir, runSpec('copy', from, outputs, { renditions, startTimeoutSeconds: 120 }));
  await running(runner);
  await until('media over SRT', () => (statSync(got, { throwIfNoEntry: false })?.size ?? 0) > 180_000);
  const other = await change(runner, { type: 'source', source: { ...from, name: 'Other', channelId: 9 } });
  assert.deepEqual([other.status, other.code], [422, 'rule_violated']);
  assert.match(other.detail!, /Copied video cannot be switched/u);
  const crop = { left: 10, right: 0, top: 0, bottom: 0 };
  assert.equal((await change(runner, { type: 'options', options: { crop } })).status, 422);
  assert.equal((await runner.report()).source.state, 'up');
  await runner.stop();
  assert.equal(await runner.exited, 0);

  const playlist = join(liveDir(dir, LIVESTREAM_ID, 21), '11/index.m3u8');
  const { segments } = HLS.parse(readFileSync(playlist, 'utf8')) as HLS.types.MediaPlaylist;
  assert.ok(segments[0]!.duration <= 1.1, `${segments[0]!.duration} s`);
  const streams = ffprobe(playlist, '-count_frames', '-show_entries', 'stream=codec_name,width,nb_read_frames');
  assert.match(streams, /codec_name=h264\|width=320\|nb_read_frames=\d{2,}/u);
  assert.match(streams, /codec_name=aac\|nb_read_frames=\d{2,}/u);

  const data = readFileSync(got);
  assert.equal(data.length % PACKET_BYTES, 0);
  assert.equal(continuityErrors(data), 0);
  const pids = new Set<number>();
  for (let at = 0; at < data.length; at += PACKET_BYTES) {
    assert.equal(data[at], 0x47, `byte ${at} begins a packet`);
    pids.add(pidOf(data, at));
  }
  // ffmpeg's muxer would have added a service description (pid 17) and given the streams numbers of its own.
  assert.ok(pids.has(0) && pids.has(PMT_PID) && !pids.has(17), [...pids].join());
  const { video, audio, complaints } = await decoded(got);
  // The end of the connection may cut the last of each short: a line for the sound, two for the picture.
  const torn = complaints.split('\n').filter((line) => line !== '').length;
  assert.ok(video > 10 && audio > 10 && torn <= 3, `${video} ${audio} ${complaints}`);
});
