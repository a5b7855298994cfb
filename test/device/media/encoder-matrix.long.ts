/** Everything that an Encoding says, as ffprobe sees it in the encoder's output. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RenditionSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import { folder } from '../runner/runner-fixture.ts';
import { rendition } from '../runner/specs.ts';
import { encodingIssues } from '../../../domain/rules/encodings/encoding-rules.ts';
import { renditionOf } from '../../../domain/rules/encodings/ladder.ts';
import { encoding } from '../../domain/encodings.ts';
import { someOf } from '../../helpers/counts.ts';
import { encode, found, keyframes, measuredRate } from './encoding.ts';

type Video = NonNullable<RenditionSpec['video']>;
const options = (more: Partial<Video['h264']>): Video['h264'] => {
  return { profile: null, level: null, keyframe_interval: 1, ...more };
};
const silent = (of: RenditionSpec): RenditionSpec => ({ ...of, audio: null });

test('six renditions leave one encode, with keyframes at the same times whatever their rates', (t) => {
  const half = options({ keyframe_interval: 0.5 });
  const ladder = [
    rendition(1, 320, 180, 400, { fps: 30, h264: half }),
    rendition(2, 256, 144, 300, { fps: 15 }),
    rendition(3, 160, 120, 200, { fps: 10 }),
    rendition(4, 192, 108, 200, { fps: 30 }),
    rendition(5, 64, 128, 100, { fps: 15 }),
    rendition(6, 96, 54, 100, { fps: 30 }),
  ];
  const made = encode(folder(t), ladder, 3);
  const streams = found(made);
  const pictures = streams.filter(({ codec_name: codec }) => codec === 'h264');
  assert.deepEqual(
    pictures.map(({ width, height, r_frame_rate: rate }) => [width, height, rate]),
    ladder.map(({ video }) => [video!.width, video!.height, `${video!.fps}/1`]),
  );
  for (const [i, { packets }] of pictures.entries()) assert.equal(packets.length, 3 * ladder[i]!.video!.fps);
  // 0.5 s are 15, 7.5 and 5 frames: the nearest distance that is whole for all is 0.6 s.
  assert.ok(Math.abs(made.plan.keyframeSeconds - 0.6) < 1e-9);
  const [first, ...others] = pictures.map(keyframes);
  assert.deepEqual(first, [10, 10.6, 11.2, 11.8, 12.4]);
  for (const times of others) assert.deepEqual(times, first);
  assert.ok(pictures.every(({ sample_aspect_ratio: sar }) => sar === '1:1'));
  assert.equal(streams.length, 7, 'one sound for all');
});

test('keyframes come at the seconds that are asked for at 25 and 29.97 frames a second, too', (t) => {
  for (const [fps, seconds] of [
    [25, 2],
    [29.97, 2.002],
  ] as const) {
    const h264 = options({ keyframe_interval: 2 });
    const pictures = ['h264', 'hevc'].flatMap((codec) => {
      const of = rendition(1, 160, 90, 200, { fps, codec: codec as 'h264', h264, hevc: h264 });
      return found(encode(folder(t), [silent(of)], 7));
    });
    for (const picture of pictures) {
      const times = keyframes(picture);
      assert.equal(times.length, 4, `${picture.codec_name} at ${fps}`);
      for (const [i, time] of times.entries()) assert.ok(Math.abs(time - 10 - i * seconds) < 0.002, `${time}`);
    }
  }
});

test('a noisy picture weighs what was asked for', (t) => {
  const noise = 'testsrc2,noise=alls=40:allf=t+u';
  const ladders = [
    [rendition(1, 320, 180, 600), rendition(2, 160, 90, 200)],
    [rendition(1, 320, 180, 600, { codec: 'hevc' }), rendition(2, 160, 90, 200, { codec: 'hevc' })],
    [rendition(1, 320, 180, 600, { codec: 'av1' }), rendition(2, 160, 90, 200, { codec: 'av1' })],
    [rendition(1, 320, 180, 600, { codec: 'vp9' }), rendition(2, 160, 90, 200, { codec: 'vp9' })],
  ];
  const figures = someOf(ladders, 2).flatMap((ladder) => {
    const streams = found(encode(folder(t), ladder.map(silent), 10, noise));
    return streams.map((stream, i) => [stream.codec_name, ladder[i]!.video!.bitrate, measuredRate(stream)] as const);
  });
  t.diagnostic(figures.map(([codec, requests, got]) => `${codec} ${requests}: ${got.toFixed(0)} kbit/s`).join(', '));
  for (const [codec, requests, got] of figures)
    assert.ok(Math.abs(got / requests - 1) < 0.15, `${codec}: ${got} of ${requests}`);
});

test('profiles and levels are those of the stream, with every preset', (t) => {
  const requests = [
    ['baseline', '3', 'Constrained Baseline', 30, 'yuv420p'],
    ['main', '3.1', 'Main', 31, 'yuv420p'],
    ['high', '4.0', 'High', 40, 'yuv420p'],
    ['high10', '4.1', 'High 10', 41, 'yuv420p10le'],
    ['high422', '5', 'High 4:2:2', 50, 'yuv422p10le'],
    ['high444', '5.1', 'High 4:4:4 Predictive', 51, 'yuv444p'],
  ] as const;
  for (const preset of someOf(['ultrafast', 'medium'] as const, 1)) {
    const ladder = requests.map(([profile, level], i) =>
      silent(rendition(i, 160, 90, 200, { preset, h264: options({ profile, level }) })),
    );
    assert.deepEqual(
      found(encode(folder(t), ladder, 1)).map(({ profile, level, pix_fmt: samples }) => [profile, level, samples]),
      requests.map(([, , ...seen]) => seen),
    );
  }
  const hevc = ([profile, level]: string[]): RenditionSpec =>
    silent(rendition(1, 160, 90, 200, { codec: 'hevc', hevc: options({ profile: profile!, level: level! }) }));
  assert.deepEqual(
    found(encode(folder(t), [hevc(['main', '3.1']), hevc(['main10', '4.1'])], 1)).map(
      ({ profile, level, pix_fmt: samples }) => [profile, level, samples],
    ),
    // general_level_idc is 30 times the level.
    [
      ['Main', 93, 'yuv420p'],
      ['Main 10', 123, 'yuv420p10le'],
    ],
  );
});

test('an aspect ratio is in the stream, and the picture keeps its shape', (t) => {
  const of = (id: number, width: number, height: number, aspect: string | null): RenditionSpec =>
    silent(rendition(id, width, height, 300, { aspect_ratio: aspect }));
  // The size of PAL, a quarter of it: wide pixels, then pixels that are higher than wide, then bars at the sides.
  const made = encode(folder(t), [of(1, 360, 288, '16:9'), of(2, 352, 198, null), of(3, 160, 120, '4:3')], 1);
  assert.deepEqual([made.plan.width, made.plan.height], [512, 288]);
  assert.deepEqual(
    found(made).map((stream) => [stream.width, stream.height, stream.display_aspect_ratio]),
    [
      [360, 288, '16:9'],
      [352, 198, '16:9'],
      [160, 120, '4:3'],
    ],
  );
});

test('sounds differ in codec, channels and sample rate; equal ones are encoded once', (t) => {
  const sound = { active: true, bitrate: 96 } as const;
  const requests = [
    { ...sound, codec: 'mp4a', channels: 1, sample_rate: 44_100 },
    { ...sound, codec: 'mp3', channels: 2, sample_rate: 44_100 },
    { ...sound, codec: 'opus', channels: 1, sample_rate: 48_000 },
    { ...sound, codec: 'mp4a', channels: 2, sample_rate: 48_000 },
    { ...sound, codec: 'mp4a', channels: 2, sample_rate: 48_000 },
  ] as const;
  const ladder = requests.map((audio, i) => ({ ...rendition(i, 64, 64, 50), video: null, audio }));
  assert.deepEqual(
    found(encode(folder(t), ladder, 10)).map((stream) => {
      assert.ok(Math.abs(measuredRate(stream) / 96 - 1) < 0.15, `${stream.codec_name} ${measuredRate(stream)}`);
      return [stream.codec_name, stream.channels, stream.sample_rate];
    }),
    [
      ['aac', 1, '44100'],
      ['mp3', 2, '44100'],
      ['opus', 1, '48000'],
      ['aac', 2, '48000'],
    ],
  );
});

test('av1 and vp9 leave as fragments, a track a rendition, with the keyframes of the ladder', (t) => {
  const kinds = [
    ['av1', 'Main'],
    ['vp9', 'Profile 0'],
  ] as const;
  for (const [codec, profile] of someOf(kinds, 1)) {
    const ladder = [rendition(1, 320, 180, 300, { codec }), rendition(2, 160, 90, 100, { codec, fps: 15 })];
    const streams = found(encode(folder(t), ladder, 4));
    assert.deepEqual(
      streams.map((stream) => [stream.codec_name, stream.width, stream.profile]),
      [
        [codec, 320, profile],
        [codec, 160, profile],
        ['aac', undefined, 'LC'],
      ],
    );
    for (const stream of streams.slice(0, 2)) assert.deepEqual(keyframes(stream), [10, 11, 12, 13]);
  }
});

const VALUES = {
  codec: ['h264', 'hevc', 'av1', 'vp9'],
  preset: ['ultrafast', 'superfast', 'veryfast', 'faster', 'fast', 'medium'],
  h264: ['baseline 3', 'main 4.0', 'high null', 'high10 null', 'high422 5', 'high444 6.2', 'null null'],
  hevc: ['main null', 'main10 4.1', 'null 5', 'null null', 'main 6.2'],
  size: ['16 16', '34 16', '64 64', '66 4096', '4096 66', '320 180', '1920 1080', 'null 90'],
  aspect_ratio: [null, '16:9', '1:2', '4:1'],
  fps: [1, 10, 23.976, 29.97, 61.2, 120],
  keyframe_interval: [0.5, 2, 10],
  bitrate: [50, 400, 50_000, 50_001, 100_000],
  sound: ['mp4a', 'opus', 'mp3'],
  channels: [1, 2, 6, 8],
  soundRate: [16, 17, 128, 256, 320, 512],
  sample_rate: [44_100, 48_000],
};
type Choice = { [K in keyof typeof VALUES]: (typeof VALUES)[K][number] };

function encodingOf(of: Choice): ReturnType<typeof encoding> {
  const number = (text: string): number | null => (text === 'null' ? null : Number(text));
  const [width, height] = of.size.split(' ').map(number);
  const optionsOf = (text: string): object => {
    const [profile, level] = text.split(' ').map((word) => (word === 'null' ? null : word));
    return { profile, level, keyframe_interval: of.keyframe_interval };
  };
  const { codec, preset, aspect_ratio, fps, bitrate, sound, channels, soundRate, sample_rate } = of;
  const picture = { width, height, h264: optionsOf(of.h264), hevc: optionsOf(of.hevc) };
  return encoding(
    { codec, preset, aspect_ratio, fps, bitrate, ...picture },
    { codec: sound, channels, bitrate: soundRate, sample_rate },
  );
}

/** Accepted choices, each with as many pairs of values as none before it had; the same in every run. */
function pairwise(count: number): Choice[] {
  let seed = 1;
  const random = (below: number): number => Math.floor(((seed = (seed * 48_271) % 0x7fffffff) / 0x7fffffff) * below);
  const pick = (): Choice =>
    Object.fromEntries(Object.entries(VALUES).map(([name, values]) => [name, values[random(values.length)]])) as Choice;
  const seen = new Set<string>();
  const pairsOf = (choice: Choice): string[] => {
    const words = Object.entries(choice).map(([name, value]) => `${name}=${value}`);
    return words.flatMap((word, i) => words.slice(i + 1).map((other) => `${word} ${other}`));
  };
  return Array.from({ length: count }, () => {
    const fresh = Array.from({ length: 400 }, pick)
      .filter((choice) => encodingIssues(encodingOf(choice)).length === 0)
      .map((choice) => ({ choice, news: pairsOf(choice).filter((pair) => !seen.has(pair)) }))
      .sort((a, b) => b.news.length - a.news.length)[0]!;
    for (const pair of fresh.news) seen.add(pair);
    return fresh.choice;
  });
}

/** The encoder’s words against it; undefined when pictures and sound come. */
function trial(dir: string, row: ReturnType<typeof encoding>): string | undefined {
  try {
    const { video } = renditionOf(row);
    const made = encode(dir, [renditionOf(row)], Math.max(0.1, 3 / (video?.fps ?? 30)));
    return found(made).every(({ packets }) => packets.length > 0) ? undefined : 'nothing came';
  } catch (error) {
    return String(error);
  }
}

test('every Encoding that is saved can be encoded, whatever values stand together', (t) => {
  for (const choice of someOf(pairwise(70), 20))
    assert.equal(trial(folder(t), encodingOf(choice)), undefined, JSON.stringify(choice));
});

test('the first value beyond a bound of an encoder is refused by the encoder too', (t) => {
  const small = { codec: 'hevc', width: 16, height: 16 };
  const bounds: [within: [object, object?], beyond: [object, object?]][] = [
    [[{ codec: 'av1', width: 64, height: 64 }], [{ codec: 'av1', width: 62, height: 64 }]],
    [[{ ...small, bitrate: 50_000 }], [{ ...small, bitrate: 50_001 }]],
    [[{ ...small, width: 4216 }], [{ ...small, width: 4220 }]],
    [
      [{ active: false }, { codec: 'opus', channels: 1, bitrate: 256 }],
      [{ active: false }, { codec: 'opus', channels: 1, bitrate: 257 }],
    ],
    [
      [{ active: false }, { codec: 'opus', channels: 2, bitrate: 512 }],
      [{ active: false }, { codec: 'mpga', bitrate: 100 }],
    ],
    [[{ width: 1280, height: null, aspect_ratio: '80:1' }], [{ width: 1280, height: 720, aspect_ratio: '1:999' }]],
  ];
  for (const [within, beyond] of bounds) {
    for (const [[video, audio], isFit] of [
      [within, true],
      [beyond, false],
    ] as const) {
      const row = encoding({ fps: 25, ...video }, audio);
      const refusal = trial(folder(t), row);
      assert.equal(encodingIssues(row).length === 0, isFit, JSON.stringify([video, audio]));
      assert.equal(refusal === undefined, isFit, `${JSON.stringify([video, audio])}: ${refusal}`);
    }
  }
});
