/** Enhanced RTMP becomes Matroska: ffmpeg decodes it to the pictures of the encoder, bit by bit. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { FlvFacts } from '../../../device/media/rtmp/flv-facts.ts';
import { MatroskaJoiner } from '../../../device/media/rtmp/matroska-joiner.ts';
import { MessageClock } from '../../../device/media/rtmp/message-clock.ts';
import type { RtmpMessage } from '../../../device/media/rtmp/rtmp-chunks.ts';
import { RtmpMedia } from '../../../device/push/rtmp-media.ts';
import { someOf } from '../../helpers/counts.ts';
import {
  encode,
  enhancedMessages,
  frameHashes,
  tracksOf,
  type Packing,
  type Recipe,
} from '../../helpers/enhanced-tags.ts';
import { testFolder } from '../../helpers/test-folder.ts';

const OPUS = ['-c', 'libopus', '-b', '64k'];
const X265 = [
  '-c:v',
  'libx265',
  '-preset',
  'ultrafast',
  '-x265-params',
  'log-level=error:bframes=3:b-adapt=0:keyint=25',
];
/** The longest first: what every run tries is the first. */
const RECIPES: [name: string, recipe: Recipe, packing: Packing, codec: string][] = [
  ['HEVC with B-frames and two tracks of Opus', { video: X265, audio: [OPUS, OPUS] }, 'plain', 'hevc'],
  ['HEVC of 10 bits', { video: X265, pixels: 'yuv420p10le', audio: [['-c', 'aac']] }, 'many tracks', 'hevc'],
  [
    'AV1',
    { video: ['-c:v', 'libsvtav1', '-preset', '12', '-g', '25', '-svtav1-params', 'lp=1'], audio: [OPUS] },
    'one track',
    'av1',
  ],
  [
    'VP9',
    { video: ['-c:v', 'libvpx-vp9', '-deadline', 'realtime', '-cpu-used', '8', '-g', '25'], audio: [['-c', 'flac']] },
    'modified',
    'vp9',
  ],
  [
    'H.264',
    { video: ['-c:v', 'libx264', '-preset', 'veryfast', '-bf', '3', '-g', '25'], audio: [OPUS, ['-c', 'aac']] },
    'many codecs',
    'h264',
  ],
  [
    'VP8 with AC-3',
    {
      video: ['-c:v', 'libvpx', '-deadline', 'realtime', '-g', '25'],
      audio: [
        ['-c', 'ac3'],
        ['-c', 'eac3'],
        ['-c', 'libmp3lame'],
      ],
    },
    'plain',
    'vp8',
  ],
];

function joined(messages: ReturnType<typeof enhancedMessages>): { bytes: Buffer; facts: FlvFacts; changes: number } {
  const [joiner, facts, parts] = [new MatroskaJoiner(), new FlvFacts(), [] as Buffer[]];
  let changes = 0;
  for (const message of messages) {
    const part = joiner.take(message);
    facts.take({ ...message, stream: 1 });
    if (part?.isChange === true) changes += 1;
    if (part === undefined) continue;
    if (parts.length > 0) parts.push(part.bytes);
    else parts.push(...joiner.beginning);
  }
  return { bytes: Buffer.concat(parts), facts, changes };
}

for (const [name, recipe, packing, codec] of someOf(RECIPES, 1))
  test(`${name} by Enhanced RTMP: 50 of 50 pictures and all sound are those of the encoder`, (t) => {
    const file = encode(join(testFolder(t, 'ertmp'), 'encoded.mkv'), recipe);
    const tracks = tracksOf(file);
    const { bytes, facts, changes } = joined(enhancedMessages(tracks, packing));
    const pictures = frameHashes(file, 'v:0');
    assert.equal(pictures.length, 50);
    assert.deepEqual(frameHashes(bytes, 'v:0'), pictures);
    for (const [i] of recipe.audio!.entries()) {
      const [got, sent] = [bytes, file].map((media) => frameHashes(media, `a:${i}`, true));
      // Sound before the first picture is left out, and the file says how much of its last packet is none, which RTMP has no place for.
      const first = sent!.length - got!.length;
      assert.ok(first <= 1, `${first} packets are missing`);
      assert.deepEqual(got!.slice(0, -1), sent!.slice(first, -1), `sound ${i}`);
    }
    assert.equal(changes, 0);
    const { video, audio } = facts;
    assert.deepEqual([video?.codec, video?.width, video?.height, video?.fps], [codec, 128, 96, 25]);
    const names = { libopus: 'opus', libmp3lame: 'mp3' };
    assert.deepEqual(
      audio,
      recipe.audio!.map(([, own]) => ({
        codec: names[own as keyof typeof names] ?? own,
        channels: 1,
        sample_rate: 48_000,
        language: null,
      })),
    );
  });

/** A stand-in for the record of a codec, or for a frame of it. */
function tag(
  fourCc: string,
  packetType: number,
  time: number,
  [content = 1, track, frame = 1]: [number?, number?, number?] = [],
): RtmpMessage {
  const isVideo = ['hvc1', 'av01', 'vp09'].includes(fourCc);
  const first = isVideo ? 0x80 | (frame << 4) : 0x90;
  const head = track === undefined ? [first | packetType] : [first | (isVideo ? 6 : 5), packetType];
  const body = Buffer.concat([
    Buffer.from(head),
    Buffer.from(fourCc),
    Buffer.from(track === undefined ? [] : [track]),
    Buffer.from([content]),
  ]);
  return { type: isVideo ? 9 : 8, time, stream: 1, body };
}
const START = 0;
const FRAME = 1;
const FRAME_X = 3;

/** Joins the messages, and tells of each whether it is a change, and what a reader that comes behind it gets: the number of parts. */
function joinedBy(joiner: MatroskaJoiner, ...messages: RtmpMessage[]): [isChange: boolean, beginning: number][] {
  return messages.map((message) => [joiner.take(message)?.isChange === true, joiner.beginning.length]);
}

test('a reader begins once all tracks can be there, and what comes later, has changed or counts anew begins the stream anew', () => {
  const joiner = new MatroskaJoiner();
  const begun = joinedBy(
    joiner,
    tag('hvc1', START, 0),
    tag('hvc1', FRAME_X, 0),
    tag('Opus', START, 10),
    tag('Opus', FRAME, 20),
    tag('hvc1', FRAME_X, 310, [1, undefined, 2]),
  );
  assert.deepEqual(begun, [
    [false, 0],
    [false, 0],
    [false, 0],
    [false, 0],
    [false, 4],
  ]);
  const again = joinedBy(joiner, tag('hvc1', START, 0), tag('Opus', START, 0), tag('hvc1', START, 320, [9, 3]));
  assert.deepEqual(
    again,
    [
      [false, 4],
      [false, 4],
      [false, 4],
    ],
    'sent again, and a further track of video',
  );
  const late = joinedBy(joiner, tag('Opus', START, 0, [1, 1]), tag('Opus', FRAME, 350, [1, 1]));
  assert.deepEqual(
    [late, joiner.isSettled],
    [
      [
        [true, 4],
        [false, 5],
      ],
      false,
    ],
    'another track of sound, beside the picture that is there',
  );
  const larger = joinedBy(
    joiner,
    tag('hvc1', START, 680, [2]),
    tag('Opus', FRAME, 690),
    tag('hvc1', FRAME_X, 700),
    tag('Opus', FRAME, 1001),
  );
  assert.deepEqual(
    [larger, joiner.isSettled],
    [
      [
        [true, 0],
        [false, 0],
        [false, 2],
        [false, 3],
      ],
      true,
    ],
    'another size',
  );
  const other = joinedBy(joiner, tag('av01', START, 1010), tag('hvc1', FRAME_X, 1020), tag('av01', FRAME, 1030));
  assert.deepEqual(
    other,
    [
      [true, 0],
      [false, 0],
      [false, 2],
    ],
    'another codec, and a frame of the former one',
  );
  const times = [
    tag('Opus', FRAME, 2 ** 32 - 5),
    tag('Opus', FRAME, 5),
    tag('Opus', FRAME, 900_000),
    tag('Opus', FRAME, 900_020),
  ];
  const clock = new MessageClock();
  assert.deepEqual(
    times.map(({ time }) => clock.at(time)),
    [2000, 2010, 2010, 2030],
  );
  assert.deepEqual(
    joinedBy(joiner, ...times).map(([isChange]) => isChange),
    [false, false, false, false],
  );
});

test('an encoder that goes on with HEVC beside its plain AAC begins as Matroska, with that AAC', () => {
  const taken: string[] = [];
  const media = new RtmpMedia({
    take: ({ beginning }, { bytes }) =>
      void taken.push(`${bytes.length} of ${Buffer.concat(beginning).toString('hex', 0, 4)}`),
    renew: ({ isOfOneFormat }) => void taken.push(`anew ${isOfOneFormat}`),
    depart: () => undefined,
  });
  const aac = (time: number, ...bytes: number[]): RtmpMessage => ({
    type: 8,
    time,
    stream: 1,
    body: Buffer.from([0xaf, ...bytes]),
  });
  const refusals = [
    aac(0, 0, 0x12, 0x10),
    aac(20, 1, 7),
    tag('hvc1', START, 30),
    tag('hvc1', FRAME_X, 40),
    aac(60, 1, 7),
    tag('hvc1', FRAME_X, 400),
  ].map((message) => media.take(message));
  assert.deepEqual(
    refusals,
    Array.from({ length: 6 }, () => undefined),
  );
  assert.match(taken[1]!, /of 464c5601$/u);
  assert.ok(taken.includes('anew true'), taken.join());
  assert.match(taken.at(-1)!, /of 1a45dfa3$/u);
  assert.match(Buffer.concat(media.beginning).toString('latin1'), /V_MPEGH\/ISO\/HEVC[^]*A_AAC/u);
  assert.match(
    media.take({ type: 9, time: 410, stream: 1, body: Buffer.from('1200', 'hex') })!,
    /codec number 2\) is not read/u,
  );
});
