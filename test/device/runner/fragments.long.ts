/** AV1 and VP9 on air: as CMAF, DASH and Record, seen with the eyes of their viewers. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { HLS } from '../../helpers/hls.ts';
import { liveDir, recordingsDir } from '../../../device/run-dir.ts';
import type { RenditionSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import { clip, folder, running, startRunner } from './runner-fixture.ts';
import { decodedStreams, type DecodedStream } from './decoded-streams.ts';
import { until } from '../../helpers/until.ts';
import { fileSource, LIVESTREAM_ID, output, rendition, runSpec } from './specs.ts';
import { serveLive } from './web-server.ts';

const [CMAF, DASH, RECORD, TS, RTMP] = [31, 32, 33, 34, 35];

/** Every stream, decoded to the last frame; a complaint of the decoder is a failure. */
async function decode(url: string): Promise<DecodedStream[]> {
  const { streams, complaints } = await decodedStreams(url, { level: 'error' });
  assert.equal(complaints.replaceAll(/.*Found duplicated MOOV Atom.*\n/gu, ''), '');
  return streams;
}

interface Journal {
  nextSequence: number;
  periods: unknown[];
  segments: { seconds: number }[];
}

function journal(dir: string, publishingId: number): Journal {
  return JSON.parse(readFileSync(join(liveDir(dir, LIVESTREAM_ID, publishingId), '.journal.json'), 'utf8')) as Journal;
}

const CODECS = [
  ['vp9', /^vp09\.00\.\d\d\.08$/u, 'vp9'],
  ['av1', /^av01\.0\.0\dM\.08$/u, 'av1'],
] as const;
for (const [codec, name, track] of CODECS) {
  test(`a ladder of ${codec} with Opus is delivered although the encoder is killed in between`, async (t) => {
    const dir = folder(t);
    const url = await serveLive(t, dir);
    const opus = { active: true, codec: 'opus', bitrate: 64, channels: 2, sample_rate: 48_000 } as const;
    const of = (id: number, width: number, height: number, rate: number): RenditionSpec => {
      return { ...rendition(id, width, height, rate, { codec }), audio: opus };
    };
    const outputs = [
      output(CMAF, 'CMAF', { segment_duration: 2, playlist_length: 60 }),
      output(DASH, 'DASH', { playlist_length: 60 }),
      output(RECORD, 'Record'),
      output(TS, 'HLS / TS'),
      output(RTMP, 'RTMP', { url: 'rtmp://127.0.0.1:1/live' }),
    ];
    const renditions = [of(11, 320, 180, 300), of(12, 160, 90, 100)];
    const runner = startRunner(t, dir, runSpec(codec, fileSource(clip(dir)), outputs, { renditions }));
    await running(runner);
    const report = await until('CMAF, DASH and Record are up', async () => {
      const now = await runner.report();
      return now.publishings.slice(0, 3).every(({ primary }) => primary.state === 'up') && now;
    });
    for (const { primary } of report.publishings.slice(3)) {
      assert.equal(primary.state, 'failed');
      assert.match(primary.last_error!, new RegExp(`cannot carry ${codec}; use DASH, CMAF or Record as mp4`, 'u'));
    }
    await until('rates are measured', async () =>
      (await runner.report()).encodings.every(({ fps, bitrate_kbps: rate }) => fps > 5 && rate > 20),
    );

    process.kill(runner.childNamed('pipe:5'), 'SIGKILL');
    const restart = await until('encoder_restarted', () =>
      runner.events().find(({ kind }) => kind === 'encoder_restarted'),
    );
    t.diagnostic(`gap for viewers ${String(restart.data.gapSeconds)} s`);
    const count = journal(dir, DASH).nextSequence;
    await until('three more segments', () => journal(dir, DASH).nextSequence >= count + 3);
    await runner.stop();
    assert.equal(await runner.exited, 0);
    assert.deepEqual(runner.left(), []);
    const lost = runner.events().filter(({ kind }) => kind === 'destination_down');
    assert.deepEqual(lost, [], 'no Destination has noticed');

    const master = HLS.parse(
      await (await fetch(`${url}/live/7/${CMAF}/index.m3u8`)).text(),
    ) as HLS.types.MasterPlaylist;
    assert.deepEqual(
      master.variants.map(({ resolution }) => resolution),
      [
        { width: 320, height: 180 },
        { width: 160, height: 90 },
      ],
    );
    for (const { codecs } of master.variants) {
      const [picture, sound] = codecs!.split(',');
      assert.match(picture!, name);
      assert.equal(sound, 'opus');
    }
    const mpd = await (await fetch(`${url}/live/7/${DASH}/manifest.mpd`)).text();
    assert.ok(mpd.includes('codecs="opus"') && mpd.includes(`codecs="${master.variants[0]!.codecs!.split(',')[0]}"`));
    for (const [id, path] of [
      [CMAF, 'index.m3u8'],
      [CMAF, 'manifest.mpd'],
      [DASH, 'manifest.mpd'],
    ] as const) {
      const { periods, segments } = journal(dir, id);
      assert.equal(periods.length, 1, 'the time line goes on through the restart');
      const seconds = segments.reduce((sum, segment) => sum + segment.seconds, 0);
      const streams = await decode(`${url}/live/7/${id}/${path}`);
      const pictures = streams.filter((stream) => stream.codec === track);
      assert.deepEqual(pictures.map(({ width }) => width).sort(), [160, 320]);
      for (const { frames, times } of pictures) {
        // The seam between two encoders is a frame longer than the others.
        assert.ok(Math.abs(frames - seconds * 30) <= 2, `${frames} frames in ${seconds} s`);
        for (const [i, time] of times.slice(1).entries()) assert.ok(time - times[i]! < 0.1, `gap at ${time}`);
      }
      const sounds = streams.filter((stream) => stream.codec === 'opus');
      for (const { frames } of sounds) assert.ok(Math.abs(frames * 0.02 - seconds) < 0.2, `${frames} of sound`);
    }

    const files = readdirSync(recordingsDir(dir, LIVESTREAM_ID));
    assert.equal(files.length, 1);
    const recorded = await decode(join(recordingsDir(dir, LIVESTREAM_ID), files[0]!));
    assert.deepEqual(
      recorded.map((stream) => [stream.codec, stream.width]),
      [
        [track, 320],
        [track, 160],
        ['opus', undefined],
      ],
    );
    const closed = runner.events().find(({ kind }) => kind === 'recording_closed')!;
    for (const { times, frames } of recorded) {
      assert.ok(Math.abs(times[0]!) < 0.05, `it begins at ${times[0]}`);
      assert.ok(Math.abs(times.at(-1)! - (closed.data.seconds as number)) < 1.1);
      assert.ok(frames > 100);
    }
  });
}
