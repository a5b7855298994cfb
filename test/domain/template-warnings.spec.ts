/** Demands of platforms against what a Live stream would deliver. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Livestream } from '../../domain/shapes/broadcasts/livestream.ts';
import type { TemplateId } from '../../domain/shapes/encodings/preset-ids.ts';
import { type Publishing } from '../../domain/shapes/destinations/publishing.ts';
import { templateWarnings } from '../../domain/rules/encodings/template-warnings.ts';
import { getTemplate } from '../../presets/templates.ts';
import { encoding } from './encodings.ts';
import { DEFAULT_SETTINGS } from '../../domain/types/destination-settings.ts';

const KEYED = { url: 'rtmps://ingest.test/app', stream_key: 'key-of-a-test' };

function codesOf(
  template: TemplateId | null,
  video: object = {},
  audio: object = {},
  publishing: Partial<Publishing> & { settings?: Publishing['settings'] } = {},
  path: { primary?: boolean; qualities?: number[] } = {},
): string[] {
  const encodings = new Map([
    [1, { ...encoding(video, audio), id: 1 }],
    [2, { ...encoding({ bitrate: 100, codec: 'av1' }), id: 2 }],
  ]);
  const row = {
    id: 7,
    name: 'Out',
    type: 'RTMP',
    template,
    settings: { ...DEFAULT_SETTINGS, ...KEYED },
    ...publishing,
  };
  const rows = { encodings, encodingGroups: new Map([[3, { elements: [1, 2] }]]), publishings: new Map([[7, row]]) };
  const lookup = { get: (name: string, id: number) => rows[name as keyof typeof rows]?.get(id) as never };
  const bound = { encodingId: null, encodingGroupId: 3, publishingId: 7, publishingGroupId: null };
  const startConfig = [{ publishingId: 7, primary: true, backup: false, ...path }];
  const found = templateWarnings(lookup, bound as unknown as Livestream, startConfig, getTemplate);
  for (const { publishingId, message } of found) {
    assert.equal(publishingId, 7);
    assert.match(message, /^[A-Z].*\.$/u);
    assert.doesNotMatch(message, /key-of-a-test/u);
  }
  return found.map(({ code }) => code);
}

describe('demands of platforms', () => {
  it('without a template, with a path that is off, or within all demands nothing is said', () => {
    assert.deepEqual(codesOf(null, { codec: 'hevc' }), []);
    assert.deepEqual(codesOf('twitch', { codec: 'hevc' }, {}, {}, { primary: false }), []);
    for (const template of ['youtube', 'twitch', 'facebook', 'linkedin', 'vimeo', 'tiktok', 'kick', 'x'] as const)
      assert.deepEqual(codesOf(template, { height: 1080, width: 1920, fps: 30, bitrate: 4500 }), [], template);
  });

  it('each demand on the picture has its code', () => {
    const far = { keyframe_interval: 3, profile: null, level: null };
    assert.deepEqual(codesOf('twitch', { h264: far }), ['keyframe_distance']);
    assert.deepEqual(codesOf('facebook', { h264: far }), [], 'four seconds are allowed there');
    assert.deepEqual(codesOf('twitch', { codec: 'hevc', bitrate: 7000 }), ['video_codec', 'video_bitrate']);
    assert.deepEqual(codesOf('twitch', { width: 2560, height: 1440 }), ['picture_size']);
    assert.deepEqual(codesOf('twitch', { width: 1080, height: 1920 }), [], 'an upright picture fits');
    assert.deepEqual(codesOf('linkedin', { fps: 60 }), ['frame_rate']);
  });

  it('each demand on the sound has its code', () => {
    assert.deepEqual(codesOf('facebook', {}, { active: false }), ['no_sound']);
    assert.deepEqual(codesOf('twitch', {}, { codec: 'mp3' }), ['audio_codec']);
    assert.deepEqual(codesOf('x', {}, { bitrate: 192 }), ['audio_bitrate']);
    assert.deepEqual(codesOf('linkedin', {}, { sample_rate: 44_100 }), ['sample_rate']);
  });

  it('type, security and key of the Destination are looked at as well', () => {
    const settings = { ...DEFAULT_SETTINGS, url: 'rtmp://ingest.test/app' };
    assert.deepEqual(codesOf('facebook', {}, {}, { settings }), ['tls', 'stream_key']);
    const inPath = { ...DEFAULT_SETTINGS, url: 'rtmps://ingest.test/app/key' };
    assert.deepEqual(codesOf('facebook', {}, {}, { settings: inPath }), []);
    assert.deepEqual(codesOf('twitch', {}, {}, { type: 'Enhanced RTMP' }), []);
    assert.deepEqual(codesOf('srt', {}, {}, { settings }), ['type']);
  });

  it('of a ladder the best rendition counts for RTMP, or that of the chosen qualities', () => {
    assert.deepEqual(codesOf('twitch'), []);
    assert.deepEqual(codesOf('twitch', {}, {}, {}, { qualities: [2] }), ['video_codec']);
  });

  it('what is copied is not known before the source comes', () => {
    assert.deepEqual(codesOf('twitch', { codec: 'copy' }, { codec: 'copy' }), []);
  });
});
