/** The straight way: a file to HLS, a recording and an RTMP server, seen with the eyes of their viewers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HLS } from '../../helpers/hls.ts';
import { liveDir, recordingsDir } from '../../../device/run-dir.ts';
import { clip, everyCommandLine, ffprobe, folder, running, startRtmpServer, startRunner } from './runner-fixture.ts';
import { until } from '../../helpers/until.ts';
import { fileSource, LIVESTREAM_ID, output, runSpec } from './specs.ts';
import { freePort } from '../../helpers/ports.ts';

const CANARY = 'canary-4f1d-stream-key';

function mediaPlaylist(path: string): HLS.types.MediaPlaylist {
  return HLS.parse(readFileSync(path, 'utf8')) as HLS.types.MediaPlaylist;
}

test('a file goes out as HLS, RTMP and recording, and an encoder that is killed costs viewers a moment', async (t) => {
  const dir = folder(t);
  const rtmp = await startRtmpServer(t, dir, await freePort());
  const live = liveDir(dir, LIVESTREAM_ID, 21);
  const outputs = [
    output(21, 'HLS / TS', { segment_duration: 2 }),
    output(22, 'RTMP', { url: `rtmp://127.0.0.1:${rtmp.port}/live`, stream_key: CANARY }),
    output(23, 'Record'),
    output(24, 'RTMP', { url: `rtmp://127.0.0.1:${rtmp.port}/live/${CANARY}-pasted` }, { qualities: [12] }),
  ];
  const runner = startRunner(t, dir, runSpec('on-air', fileSource(clip(dir)), outputs));
  await running(runner);
  await until('every Destination is up', async () =>
    (await runner.report()).publishings.every(({ primary }) => primary.state === 'up'),
  );
  assert.ok(!everyCommandLine().includes(CANARY), 'no stream key in any process list');
  const before = await rtmp.publishers();
  assert.deepEqual(before.map(({ name }) => name).sort(), [CANARY, `${CANARY}-pasted`]);

  const master = HLS.parse(readFileSync(join(live, 'index.m3u8'), 'utf8')) as HLS.types.MasterPlaylist;
  assert.deepEqual(
    master.variants.map(({ uri }) => uri),
    ['11/index.m3u8', '12/index.m3u8'],
  );
  assert.deepEqual(master.variants[0]!.resolution, { width: 320, height: 180 });
  assert.match(master.variants[0]!.codecs!, /^avc1\.[0-9A-F]{6},mp4a\.40\.2$/u);
  const first = mediaPlaylist(join(live, '11/index.m3u8')).segments[0]!;
  assert.equal(first.duration, 1);

  // The end of a terminal is no reason to go off air; all that follows shows that it did not.
  process.kill(runner.pid, 'SIGHUP');
  process.kill(runner.childNamed('pipe:5'), 'SIGKILL');
  const restart = await until('encoder_restarted', () =>
    runner.events().find(({ kind }) => kind === 'encoder_restarted'),
  );
  assert.equal(typeof restart.data.gapSeconds, 'number');
  const count = mediaPlaylist(join(live, '11/index.m3u8')).segments.length;
  await until('two more segments', () => mediaPlaylist(join(live, '11/index.m3u8')).segments.length >= count + 2);
  const after = await rtmp.publishers();
  assert.deepEqual(
    after.map(({ client }) => client),
    before.map(({ client }) => client),
    'the same RTMP connections',
  );
  assert.ok(
    after.every(({ bytesIn }, i) => bytesIn > before[i]!.bytesIn),
    'and they carry media',
  );

  await runner.stop();
  assert.equal(await runner.exited, 0);
  assert.deepEqual(runner.left(), []);
  for (const id of ['11', '12']) {
    const playlist = mediaPlaylist(join(live, `${id}/index.m3u8`));
    assert.ok(playlist.endlist);
    assert.ok(
      playlist.segments.every(({ discontinuity }) => !discontinuity),
      'the time line goes on through the restart',
    );
    assert.deepEqual(
      playlist.segments.map(({ uri }) => Number.parseInt(uri, 10)),
      playlist.segments.map((_, i) => i),
    );
    assert.ok(playlist.segments.every(({ duration }) => Math.round(duration) <= playlist.targetDuration));
    const streams = ffprobe(
      join(live, id, 'index.m3u8'),
      '-count_frames',
      '-show_entries',
      'stream=codec_name,nb_read_frames',
    );
    assert.match(streams, /codec_name=h264\|nb_read_frames=\d{2,}/u);
    assert.match(streams, /codec_name=aac\|nb_read_frames=\d{2,}/u);
  }
  const [recording] = readdirSync(recordingsDir(dir, LIVESTREAM_ID));
  const tracks = ffprobe(
    join(recordingsDir(dir, LIVESTREAM_ID), recording!),
    '-show_entries',
    'stream=codec_name,width',
  );
  assert.deepEqual(tracks.trim().split('\n'), [
    'codec_name=h264|width=320',
    'codec_name=h264|width=160',
    'codec_name=aac',
  ]);

  const kinds = runner.events().map(({ kind }) => kind);
  for (const kind of ['started', 'destination_up', 'recording_opened', 'recording_closed', 'stopped'] as const)
    assert.ok(kinds.includes(kind), kind);
  assert.deepEqual(
    runner.events().map(({ seq }) => seq),
    kinds.map((_, i) => i + 1),
  );
  for (const file of [runner.files.events, runner.files.final, runner.files.log, runner.files.state]) {
    assert.ok(!readFileSync(file, 'utf8').includes(CANARY), file);
  }
  assert.ok(!existsSync(runner.files.socket));
  assert.deepEqual(
    readdirSync(runner.files.dir).filter((name) => name.endsWith('.preset')),
    [],
  );
  const { data } = runner.events().find(({ kind }) => kind === 'started')!;
  assert.equal(typeof data.firstFrameSeconds, 'number');
});
