/** The limits of an Encoding and of a ladder, at configuration and at a start. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { levelExcess } from '../../domain/shapes/encodings/codec-levels.ts';
import type { Encoding } from '../../domain/shapes/encodings/encoding.ts';
import { encodingIssues } from '../../domain/rules/encodings/encoding-rules.ts';
import { renditionOf } from '../../domain/rules/encodings/ladder.ts';
import { isFragmented, oddRate, refusalOfRenditions } from '../../domain/rules/encodings/rendition-rules.ts';
import { storedRowIssues } from '../../domain/ports/stored-rows.ts';
import { ladderIssues } from '../../domain/rules/encodings/encoding-group.ts';
import { countOf } from '../helpers/counts.ts';
import { encoding } from './encodings.ts';

const fields = (of: Encoding): string[] => encodingIssues(of).map(({ field }) => field);
const refusal = (...of: Encoding[]): string | undefined => refusalOfRenditions(of.map((one) => renditionOf(one)));

describe('levels', () => {
  const need = (width: number, height: number, fps: number, bitrate: number, profile: string | null = null) => {
    return { profile, bitrate, fps, size: { width, height } };
  };

  it('each level allows the sizes and rates of its table, to the last macroblock', () => {
    // The examples of H.264 annex A: 1280×720 at 30 is level 3.1, 1920×1080 at 30 is level 4.
    assert.equal(levelExcess('h264', '3.1', need(1280, 720, 30, 14_000, 'main')), undefined);
    assert.match(levelExcess('h264', '3.1', need(1280, 720, 60, 5000))!, /at 60 frames a second; use level 3\.2/u);
    assert.match(levelExcess('h264', '3.1', need(1920, 1080, 30, 5000))!, /1920×1080; use level 4,/u);
    assert.equal(levelExcess('h264', '4', need(1920, 1080, 30, 20_000, 'main')), undefined);
    assert.match(levelExcess('h264', '4.0', need(1920, 1080, 30, 20_001, 'main'))!, /20000 at most\); use level 4\.1/u);
    assert.equal(levelExcess('h264', '4', need(1920, 1080, 30, 25_000, 'high')), undefined, 'High has a quarter more');
    assert.equal(levelExcess('hevc', '5', need(3840, 2160, 30, 25_000)), undefined);
    assert.match(levelExcess('hevc', '5', need(3840, 2160, 60, 25_000))!, /use level 5\.1/u);
    assert.match(levelExcess('hevc', '6.2', need(7680, 4320, 300, 25_000))!, /no level holds it/u);
  });

  it('the check of a level uses those facts of the Encoding that are known', () => {
    const h264 = { level: '3', profile: null, keyframe_interval: 2 };
    assert.deepEqual(fields(encoding({ height: 720, width: null, h264 })), [], 'the width is the source’s');
    assert.deepEqual(fields(encoding({ height: 720, width: 1280, h264 })), ['settings_video.h264.level']);
    assert.deepEqual(fields(encoding({ bitrate: 13_000, h264 })), ['settings_video.h264.level']);
    assert.deepEqual(fields(encoding({ codec: 'hevc', height: 720, width: 1280, h264 })), [], 'not the codec’s');
    const open = renditionOf(encoding({ height: 720, h264 }));
    assert.equal(refusalOfRenditions([open]), undefined, 'a source that stands upright fits');
    const { sideOfSource: _side, ...closed } = open;
    assert.match(refusalOfRenditions([closed])!, /"e" cannot be encoded: .*level 3 of h264 does not hold 1280×720/u);
  });
});

describe('ladders that one encoder cannot make', () => {
  it('a ladder that one encoder cannot make is refused by name, with what would work', () => {
    assert.equal(refusal(encoding()), undefined);
    assert.match(refusal(encoding({ codec: 'mpgv' }))!, /use h264 or hevc/u);
    assert.match(refusal(encoding({ codec: 'copy' }), encoding())!, /single Encoding/u);
    assert.match(refusal(encoding({ codec: 'av1' }), encoding())!, /cannot leave one encoder together/u);
    const light = (hdr_mode: string): Encoding => encoding({ codec: 'hevc', hdr_mode });
    assert.equal(refusal(light('hdr10'), light('off'), light('hdr10')), undefined);
    assert.match(refusal(light('hdr10'), light('off'), light('hlg'))!, /has hdr_mode hlg, and another one .* hdr10;/u);
    assert.match(
      refusal(encoding({ fps: 30 }), encoding({ fps: 25 }))!,
      /25 frames a second, which do not divide the 30/u,
    );
    assert.equal(refusal(encoding({ fps: 30 }), encoding({ fps: 15 }), encoding({ fps: 10 })), undefined);
    assert.equal(refusal(encoding({ fps: 25 }), encoding({ fps: 0 })), undefined, 'the source has not said it yet');
  });

  it('a value that is refused when it is saved keeps a stored row from starting, in the same words, and no other does', () => {
    const unfit: [object, object][] = [
      [{ codec: 'h264', hdr_mode: 'hdr10' }, {}],
      [{ codec: 'hevc', hdr_mode: 'hlg', hevc: { profile: 'main', level: null, keyframe_interval: 2 } }, {}],
      [{ codec: 'vp9', hdr_mode: 'hdr10', hdr: { max_cll: 1000, max_fall: null, mastering: null } }, {}],
      [{ codec: 'av1', hdr_mode: 'hlg', hdr: { max_cll: 1000, max_fall: null, mastering: null } }, {}],
      [{ codec: 'hevc', hdr_mode: 'hdr10', hdr: { max_cll: 10, max_fall: 11, mastering: null } }, {}],
      [{ codec: 'av1', width: 16, height: 16 }, {}],
      [{ codec: 'hevc', width: 16, height: 16, bitrate: 50_001 }, {}],
      [{ aspect_ratio: '1:999' }, {}],
      [{ fps: 0.5 }, {}],
      [{}, { channels: 4 }],
      [{}, { channels: 7 }],
      [{}, { channels: 8, codec: 'mp3' }],
      [{}, { channels: 6, codec: 'mp3' }],
      [{}, { codec: 'opus', channels: 1, bitrate: 512 }],
      [{}, { codec: 'opus', sample_rate: 44_100 }],
      [{}, { codec: 'copy' }],
    ];
    for (const [video, audio] of unfit) {
      const row = encoding(video, audio);
      const [issue] = encodingIssues(row);
      assert.equal(refusal(row), `Encoding "e" cannot be encoded: ${issue?.field}: ${issue?.message}.`);
    }
    // A document of an earlier version has such rows, and loses none of them.
    for (const [video, audio] of unfit) assert.deepEqual(storedRowIssues('encodings', encoding(video, audio)), []);
    assert.match(refusal(encoding({}, { codec: 'mpga', bitrate: 100 }))!, /mpga has no 100 kbit\/s; use 32, 48/u);
    const values = {
      codec: ['h264', 'hevc', 'av1', 'vp9', 'copy'],
      width: [null, 16, 64, 4224],
      height: [null, 16, 62, 720],
    };
    for (const codec of values.codec)
      for (const width of values.width)
        for (const height of values.height)
          for (const sound of ['mp4a', 'opus', 'mp3', 'copy'])
            for (const channels of [1, 2, 6, 8]) {
              const row = encoding({ codec, width, height, bitrate: 50_001 }, { codec: sound, channels, bitrate: 257 });
              const isFit = fields(row).length === 0;
              assert.equal(refusal(row) === undefined, isFit, JSON.stringify(row));
            }
  });

  it('what is saved of any values is refused at no start, and what is refused has a stored row that says so at the start', () => {
    let seed = 7;
    const below = (limit: number): number => Math.floor(((seed = (seed * 48_271) % 0x7fffffff) / 0x7fffffff) * limit);
    const one = <T>(...values: T[]): T => values[below(values.length)]!;
    const counts = { saved: 0, refused: 0 };
    for (let n = 0; n < countOf(4000, 200_000); n += 1) {
      const options = (): object => ({
        profile: one(null, 'baseline', 'main', 'high', 'high10', 'main10'),
        level: one(null, null, '3', '4.0', '5.1', '6.2'),
        keyframe_interval: 0.5 + below(95) / 10,
      });
      const row = encoding(
        {
          active: below(8) > 0,
          codec: one('h264', 'h264', 'hevc', 'av1', 'vp9', 'copy'),
          bitrate: one(50, 900, 6000, 50_001, 100_000),
          width: one(null, null, 16, 62, 640, 1920, 7680),
          height: one(null, 16, 62, 360, 1080, 4320),
          fps: one(0, 0, 0.5, 1, 25, 59.94, 120),
          aspect_ratio: one(null, null, '16:9', '1:2', '999:1'),
          hdr_mode: one('off', 'off', 'hdr10', 'hlg'),
          hdr: one(null, null, { max_cll: one(null, 400), max_fall: one(null, 300, 500), mastering: null }),
          h264: options(),
          hevc: options(),
        },
        {
          active: below(8) > 0,
          codec: one('mp4a', 'mp4a', 'opus', 'mp3', 'copy'),
          bitrate: 16 + below(497),
          channels: 1 + below(8),
          sample_rate: one(48_000, 48_000, 44_100),
        },
      );
      const issues = encodingIssues(row);
      if (issues.length === 0) assert.equal(refusal(row), undefined, JSON.stringify(row));
      counts[issues.length === 0 ? 'saved' : 'refused'] += 1;
      const { settings_audio: sound, settings_video: video } = row;
      if (sound.active && sound.codec !== 'copy' && ![1, 2, 6, 8].includes(sound.channels))
        assert.match(refusal(row)!, /cannot be encoded/u);
      if (video.active && video.codec === 'h264' && video.hdr_mode !== 'off') assert.ok(refusal(row) !== undefined);
    }
    assert.ok(counts.saved > 300 && counts.refused > 300, JSON.stringify(counts));
  });

  it('audio tracks that are more than one encoder takes are refused with the number that fits', () => {
    const ladder = [{ channels: 8 }, { channels: 6 }, { channels: 2 }].map((sound) =>
      renditionOf(encoding({ fps: 25 }, sound)),
    );
    assert.equal(refusalOfRenditions(ladder, 4), undefined);
    assert.match(refusalOfRenditions(ladder, 5)!, /^5 audio tracks are more than the 4 that one encoder takes/u);
    assert.equal(refusalOfRenditions([renditionOf(encoding({}, { channels: 8 }))], 8), undefined);
    assert.equal(refusalOfRenditions([renditionOf(encoding({ codec: 'copy' }, { codec: 'copy' }))], 8), undefined);
  });

  it('a ladder that one encoder cannot make is found in a group', () => {
    const group = (...members: Encoding[]): string[] => {
      const lookup = { get: (_: string, id: number) => members.find((member) => member.id === id) as never };
      const row = { elements: members.map(({ id }) => id) } as Parameters<typeof ladderIssues>[0];
      return ladderIssues(row, lookup).map(({ field }) => field);
    };
    assert.deepEqual(group(encoding({ fps: 50 }), encoding({ fps: 25 }), encoding({ fps: 0 })), []);
    assert.deepEqual(group(encoding({ fps: 50 }), encoding({ fps: 30 })), ['elements.1']);
    const light = (hdr_mode: string): Encoding => encoding({ codec: 'hevc', hdr_mode });
    assert.deepEqual(group(light('off'), light('hdr10'), light('off'), light('hdr10')), []);
    assert.deepEqual(group(light('hlg'), light('off'), light('hdr10')), ['elements.2']);
    assert.deepEqual(group(encoding({ codec: 'copy' })), []);
    assert.deepEqual(group(encoding({ codec: 'copy' }), encoding({ codec: 'copy' })), ['elements.0', 'elements.1']);
    assert.deepEqual(group(encoding({ active: false }), encoding({ active: false }, { bitrate: 64 })), []);
  });

  it('the check of frame rates knows rates that divide, those of NTSC too', () => {
    assert.equal(oddRate([59.94, 29.97]), undefined);
    assert.equal(oddRate([30, 29.97]), 29.97);
    assert.equal(oddRate([60, 24]), 24);
    assert.ok(isFragmented([renditionOf(encoding({ codec: 'vp9' }))]) && !isFragmented([renditionOf(encoding())]));
  });
});
