/** DASH over the same segments as HLS, played by ffprobe, whose XML reader checks the form. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { HLS } from '../../helpers/hls.ts';
import { cueBytes } from '../../../device/media/scte35/cue-message.ts';
import { dashManifestText } from '../../../device/media/manifests/dash-manifest.ts';
import { mediaPlaylistText } from '../../../device/media/manifests/hls-playlist.ts';
import { cut, LADDER_FRAMES } from './packaging.ts';
import {
  assertWhole,
  clock,
  manifest,
  mediaPlaylist,
  IN,
  OUT,
  over,
  play,
  publish,
  rates,
  running,
  tracks,
} from './presentation.ts';

const whole = cut(tracks);
const folder = publish('whole', whole);

test('the MPD plays the same segments with every frame of every rendition, without a gap or an error', () => {
  assertWhole(play(join(folder, 'index.mpd')));
});

/** Attributes of all elements of this name. That the whole is XML is ffprobe's to say. */
function elements(text: string, name: string): Record<string, string>[] {
  return [...text.matchAll(new RegExp(`<${name}( [^>]*?)?/?>`, 'gu'))].map(([, attributes = '']) =>
    Object.fromEntries([...attributes.matchAll(/ ([\w:]+)="([^"]*)"/gu)].map(([, key, value]) => [key!, value!])),
  );
}

function attributes(text: string, name: string, ...keys: string[]): (string | undefined)[][] {
  return elements(text, name).map((element) => keys.map((key) => element[key]));
}

test('a live MPD has a clock, a window, and segments listed by number with their exact times', () => {
  const utcTiming = { scheme: 'urn:mpeg:dash:utc:http-iso:2014', value: 'https://example.org/?a&b' };
  const mpd = dashManifestText(manifest(whole, { kind: 'live', utcTiming }));
  assert.deepEqual(
    attributes(mpd, 'MPD', 'type', 'availabilityStartTime', 'minimumUpdatePeriod', 'mediaPresentationDuration'),
    [['dynamic', clock(10), 'PT3S', undefined]],
  );
  assert.deepEqual(attributes(mpd, 'MPD', 'timeShiftBufferDepth', 'suggestedPresentationDelay'), [['PT60S', 'PT9S']]);
  assert.deepEqual(attributes(mpd, 'UTCTiming', 'value'), [['https://example.org/?a&amp;b']]);
  assert.deepEqual(attributes(mpd, 'Period', 'id', 'start'), [['p0', 'PT0S']]);
  assert.deepEqual(attributes(mpd, 'Representation', 'id', 'width', 'frameRate', 'audioSamplingRate'), [
    ['v0', '256', '30', undefined],
    ['v1', '192', '30', undefined],
    ['v2', '160', '30', undefined],
    ['a0', undefined, undefined, '48000'],
  ]);
  const [first] = elements(mpd, 'Representation');
  assert.equal(first!['codecs'], whole.inits.get('v0')!.codecs);
  assert.equal(Number(first!['bandwidth']), rates(whole, 'v0').peak);
  assert.deepEqual(attributes(mpd, 'SegmentTemplate', 'timescale', 'presentationTimeOffset', 'startNumber')[0], [
    ...['90000', '900000', '0'],
  ]);
  assert.deepEqual(elements(mpd, 'S').slice(0, 3), [
    { t: '900000', d: '90000' },
    { d: '270000', r: '2' },
    { d: '216000' },
  ]);
  assert.deepEqual(attributes(mpd, 'AdaptationSet', 'contentType', 'lang'), [
    ['video', undefined],
    ['audio', 'en'],
  ]);
  assert.deepEqual(attributes(mpd, 'AudioChannelConfiguration', 'value'), [['2']]);
});

test('the segments that stay listed keep their times when the window has moved', () => {
  const full = manifest(whole, { kind: 'live' });
  const moved = full.periods.map((period) => ({
    ...period,
    sets: period.sets.map((set) => ({
      ...set,
      representations: set.representations.map((one) => ({ ...one, startNumber: 3, segments: one.segments.slice(3) })),
    })),
  }));
  const live = dashManifestText({ ...full, periods: moved });
  assert.deepEqual(attributes(live, 'Period', 'start'), [['PT0S']]);
  assert.deepEqual(attributes(live, 'SegmentTemplate', 'presentationTimeOffset', 'startNumber')[0], ['900000', '3']);
  assert.equal(elements(live, 'S')[0]!['t'], '1530000');
  const recording = dashManifestText({ ...full, kind: 'recording', periods: moved });
  assert.deepEqual(attributes(recording, 'MPD', 'type', 'mediaPresentationDuration'), [['static', 'PT5.394667S']]);
  const path = join(folder, 'moved.mpd');
  writeFileSync(path, recording);
  for (const { times, codec } of play(path)) if (codec === 'h264') assert.equal(times.length, 5.4 * 30);
  // The sound ends with a whole frame, 5 ms before the picture.
  const ended = dashManifestText({ ...full, kind: 'ended' });
  assert.deepEqual(attributes(ended, 'MPD', 'type', 'minimumUpdatePeriod', 'mediaPresentationDuration'), [
    ['static', undefined, 'PT12.394667S'],
  ]);
  assert.throws(() => dashManifestText({ ...full, periods: [] }), RangeError);
});

test('a discontinuity is a tag in HLS and a period in DASH, and both play', () => {
  const holed = tracks.map((track) => {
    if (track.id !== 'v1') return track;
    const rest = track.fragments.filter(({ startTime }) => startTime < 990_000 || startTime >= 1_260_000);
    return { ...track, fragments: rest };
  });
  const result = cut(holed);
  const mpd = dashManifestText(manifest(result, { kind: 'live' }));
  assert.deepEqual(attributes(mpd, 'Period', 'id', 'start'), [
    ['p0', 'PT0S'],
    ['p1', 'PT4S'],
  ]);
  assert.equal(elements(mpd, 'SegmentTemplate')[4]!['presentationTimeOffset'], '1260000');
  const hls = HLS.parse(mediaPlaylistText(mediaPlaylist(result, 'v0'))) as HLS.types.MediaPlaylist;
  assert.deepEqual(
    hls.segments.map(({ discontinuity }) => discontinuity === true),
    [false, true, false, false],
  );
  const split = publish('split', result);
  for (const { codec, times } of play(join(split, 'index.m3u8')))
    if (codec === 'h264') assert.equal(times.length, LADDER_FRAMES - 90);
  // ffmpeg plays one period of a presentation only, so each by itself.
  const recording = manifest(result);
  const frames = recording.periods.map((period, i) => {
    const path = join(split, `${i}.mpd`);
    writeFileSync(path, dashManifestText({ ...recording, periods: [period] }));
    return play(path).find(({ codec }) => codec === 'h264')!.times.length;
  });
  assert.deepEqual(frames, [30, LADDER_FRAMES - 120]);
});

test('a break in DASH is an event of the period that it begins in', () => {
  const mpd = dashManifestText(manifest(whole, { kind: 'live', breaks: [over] }));
  assert.deepEqual(elements(mpd, 'EventStream'), [{ schemeIdUri: 'urn:scte:scte35:2014:xml+bin', timescale: '1000' }]);
  assert.deepEqual(elements(mpd, 'Event'), [
    { presentationTime: '4000', duration: '3000', id: '3' },
    { presentationTime: '7000', id: String(2 ** 31 + 3) },
  ]);
  const sections = [...mpd.matchAll(/<Binary>(.*)<\/Binary>/gu)].map(([, text]) => cueBytes(text!));
  assert.deepEqual(sections, [OUT, IN]);
  const earlier = { ...running, startAt: clock(9) };
  assert.ok(!dashManifestText(manifest(whole, { breaks: [earlier] })).includes('EventStream'));
});

test('protection in an MPD names the scheme, then each system, and is well-formed XML to a player of all of it', () => {
  const plain = manifest(whole, { breaks: [over] });
  const pssh = Buffer.from('pssh').toString('base64');
  const systems = [{ systemId: 'edef8ba9-79d6-4ace-a3c8-27dcd51d21ed', pssh }];
  const protection = { scheme: 'cbcs' as const, defaultKeyId: 'ab'.repeat(16), systems };
  const periods = plain.periods.map((period) => ({
    ...period,
    sets: period.sets.map((set) => ({ ...set, language: 'a"<&>', protection })),
  }));
  const mpd = dashManifestText({ ...plain, periods });
  assert.deepEqual(elements(mpd, 'ContentProtection').slice(0, 2), [
    {
      schemeIdUri: 'urn:mpeg:dash:mp4protection:2011',
      value: 'cbcs',
      'cenc:default_KID': 'abababab-abab-abab-abab-abababababab',
    },
    { schemeIdUri: 'urn:uuid:edef8ba9-79d6-4ace-a3c8-27dcd51d21ed' },
  ]);
  assert.ok(mpd.includes(`<cenc:pssh>${pssh}</cenc:pssh>`));
  const path = join(folder, 'protected.mpd');
  writeFileSync(path, mpd);
  assertWhole(play(path));
});
