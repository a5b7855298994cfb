/** Several audio tracks, from the source to every type of Destination. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { HLS } from '../../helpers/hls.ts';
import type { AudioTrack } from '../../../domain/shapes/sources/audio-tracks.ts';
import { liveDir, recordingsDir } from '../../../device/run-dir.ts';
import { soundOffsets, timelineOf } from '../../helpers/counted.ts';
import { makeTracksClip, pitchOf, soundsOf, TRACKS, withOneTrack } from '../../helpers/tracks.ts';
import { until } from '../../helpers/until.ts';
import { capture } from './receivers.ts';
import { ffprobe, folder, running, startRunner } from './runner-fixture.ts';
import { fileSource, LIVESTREAM_ID, output, rendition, runSpec } from './specs.ts';
import { serveLive } from './web-server.ts';

const [TS, CMAF, RECORD, STREAM, RTMP] = [21, 31, 41, 51, 61];
const PICTURES = 450;
const COLOURS = 'stream=color_range,color_space,color_transfer,color_primaries';
const track = (number: number, more: Partial<AudioTrack> = {}): AudioTrack => {
  return { track: number, language: null, name: null, default: false, ...more };
};
const pitch = (number: number): number => TRACKS[number]!.pitch;

function files(dir: string, ending: string): string[] {
  return readdirSync(dir)
    .filter((name) => name.endsWith(ending))
    .sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10))
    .map((name) => join(dir, name));
}

/** All segments of a folder as one file. */
function joined(dir: string, ending: string, target: string, head: Buffer = Buffer.alloc(0)): string {
  writeFileSync(target, Buffer.concat([head, ...files(dir, ending).map((path) => readFileSync(path))]));
  return target;
}

function master(
  dir: string,
  publishingId: number,
): { folder: string; text: string; playlist: HLS.types.MasterPlaylist } {
  const live = liveDir(dir, LIVESTREAM_ID, publishingId);
  const text = readFileSync(join(live, 'index.m3u8'), 'utf8');
  return { folder: live, text, playlist: HLS.parse(text) as HLS.types.MasterPlaylist };
}

const MENU = [
  { language: 'en', name: 'English', isDefault: false },
  { language: 'de', name: 'German', isDefault: true },
  { language: 'und', name: 'Commentary', isDefault: false },
  { language: 'fr', name: 'French', isDefault: false },
];
const THREE_LETTERS = ['eng', 'deu', 'und', 'fra'];

test('four tracks with their languages reach every Destination in time, and one that the source lacks is silent', async (t) => {
  const dir = folder(t);
  const clip = makeTracksClip(join(dir, 'tracks.mp4'), PICTURES);
  const received = await capture(t);
  const outputs = [
    output(TS, 'HLS / TS', { playlist_length: 60 }),
    output(CMAF, 'CMAF', { playlist_length: 60 }),
    output(RECORD, 'Record'),
    output(STREAM, 'STREAM', { url: `udp://127.0.0.1:${received.port}` }),
    output(RTMP, 'RTMP', { url: 'rtmp://127.0.0.1:9/live' }, { primary: false }),
  ];
  const audio = [
    track(0, { language: 'en' }),
    track(1, { language: 'de', default: true }),
    track(3, { name: 'Commentary' }),
    track(9, { language: 'fr' }),
  ];
  const renditions = [rendition(11, 320, 180, 300)];
  const runner = startRunner(t, dir, runSpec('tracks', fileSource(clip), outputs, { audio, renditions }));
  const report = await running(runner);
  assert.match(report.publishings.at(-1)!.notes[0]!, /^RTMP carries one audio track: the default one, "German"/u);
  assert.deepEqual(report.publishings[0]!.notes, []);
  const live = liveDir(dir, LIVESTREAM_ID, TS);
  await until('six segments', () => files(join(live, '11'), '.ts').length >= 6);
  await runner.stop();
  assert.equal(await runner.exited, 0);
  const [lacking] = runner.events().filter(({ kind }) => kind === 'source_format_changed');
  assert.deepEqual(lacking?.data['missingTracks'], [9]);

  const heard = [pitch(0), pitch(1), pitch(3), undefined];
  const [recording] = files(recordingsDir(dir, LIVESTREAM_ID), '.mp4');
  assert.deepEqual(
    soundsOf(recording!).map(({ language, isDefault }) => [language, isDefault]),
    THREE_LETTERS.map((language) => [language, language === 'deu']),
  );
  const colours = ffprobe(recording!, '-select_streams', 'v', '-show_entries', COLOURS);
  assert.match(colours, /color_range=tv\|color_space=bt709\|color_transfer=bt709\|color_primaries=bt709/u);
  assert.deepEqual(
    heard.map((_, i) => pitchOf(recording!, i)),
    heard,
  );
  for (const i of [0, 1, 2]) {
    const offsets = soundOffsets(timelineOf(withOneTrack(recording!, i, join(dir, `record-${i}.mkv`))));
    assert.ok(offsets.length >= 2, `${offsets.length} beeps`);
    for (const offset of offsets) assert.ok(Math.abs(offset) < 0.045, `track ${i}: ${offset}`);
  }

  const datagrams = join(dir, 'stream.ts');
  writeFileSync(datagrams, Buffer.concat(received.datagrams.map(({ data }) => data)));
  assert.deepEqual(
    soundsOf(datagrams).map(({ language }) => language),
    THREE_LETTERS,
  );
  assert.equal(pitchOf(datagrams, 2), pitch(3));

  const url = await serveLive(t, dir);
  for (const publishingId of [TS, CMAF]) {
    const { folder: base, text, playlist } = master(dir, publishingId);
    const menu = playlist.variants[0]!.audio;
    assert.deepEqual(
      menu.map(({ language, name, isDefault }) => ({ language, name, isDefault })),
      MENU,
    );
    assert.equal(text.match(/DEFAULT=YES/gu)?.length, 1);
    for (const [i, { uri }] of menu.entries()) {
      const { status } = await fetch(`${url}/live/${LIVESTREAM_ID}/${publishingId}/${uri}`);
      assert.equal(status, 200, `${publishingId}: ${uri} is served`);
      const own = join(base, uri!, '..');
      const isTs = publishingId === TS;
      const head = isTs ? undefined : readFileSync(files(own, '.mp4')[0]!);
      const path = joined(own, isTs ? '.ts' : '.m4s', join(dir, `${publishingId}-${i}.media`), head);
      assert.equal(pitchOf(path, 0), heard[i], `${publishingId}: ${uri}`);
      assert.deepEqual(
        soundsOf(path).map(({ language }) => language),
        [THREE_LETTERS[i]],
      );
    }
  }
  const mpd = readFileSync(join(liveDir(dir, LIVESTREAM_ID, CMAF), 'manifest.mpd'), 'utf8');
  assert.deepEqual(
    [...mpd.matchAll(/contentType="audio"[^>]* lang="(\w+)"/gu)].map(([, lang]) => lang),
    MENU.map(({ language }) => language),
  );
  assert.equal(mpd.match(/value="alternate"/gu)?.length, 3);
});
