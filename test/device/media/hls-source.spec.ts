/** HLS as a source: playlists, which segment comes next, cookies, and the order of what segments hold. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Cookies } from '../../../device/media/hls/cookies.ts';
import { PlaylistCues } from '../../../device/media/hls/cue-tags.ts';
import { readPlaylist, type MediaPlaylist } from '../../../device/media/hls/playlist.ts';
import { SegmentOrder } from '../../../device/media/hls/segment-order.ts';
import { inOrder, type Unit } from '../../../device/media/hls/units.ts';
import type { Track } from '../../../device/media/units/track.ts';
import { rankedVariants, soundsOf } from '../../../device/media/hls/variants.ts';
import { breakIn, breakOut } from '../../../device/media/scte35/cue-message.ts';
import { breakFacts } from '../../../device/media/scte35/cue-order.ts';
import { decodeSplice, encodeSplice, spliceTicks } from '../../../device/media/scte35/scte35.ts';
import { Merge } from '../../../device/runner/hls/hls-merge.ts';
import type { ReadSegment } from '../../../device/runner/hls/hls-reader.ts';

const BASE = 'http://h/a/list.m3u8';

function media(...lines: string[]): MediaPlaylist {
  return readPlaylist(['#EXTM3U', '#EXT-X-TARGETDURATION:2', ...lines].join('\n'), BASE).media!;
}

/** A live playlist of segments of 2 s with these numbers; `name` makes their addresses. */
function live(from: number, to: number, name = (n: number) => `s${n}.ts`, ...more: string[]): MediaPlaylist {
  const segments = Array.from({ length: to - from + 1 }, (_, i) => ['#EXTINF:2,', name(from + i)]).flat();
  return media(`#EXT-X-MEDIA-SEQUENCE:${from}`, ...more, ...segments);
}

test('a media playlist is read with keys, ranges, initialisations, parts and gaps, and one of low latency as a plain one', () => {
  const { segments, isEnded, startSeconds } = media(
    ...['#EXT-X-MEDIA-SEQUENCE:7', '#EXT-X-DISCONTINUITY-SEQUENCE:3', '#EXT-X-START:TIME-OFFSET=-5.5'],
    ...[
      '#EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://x",KEYFORMAT="com.apple"',
      '#EXT-X-KEY:METHOD=AES-128,URI="k",IV=0x01',
    ],
    ...['#EXTINF:2,', '#EXT-X-BYTERANGE:10@5', 'all.ts', '#EXTINF:2,', '#EXT-X-BYTERANGE:20', 'all.ts'],
    ...[
      '#EXT-X-KEY:METHOD=NONE',
      '#EXT-X-DISCONTINUITY',
      '#EXT-X-MAP:URI="init.mp4"',
      '#EXT-X-GAP',
      '#EXTINF:1.5,a title',
    ],
    ...['http://other/0.m4s', '#EXT-X-PART:DURATION=0.5,URI="p.m4s"', '#EXT-X-PRELOAD-HINT:TYPE=PART,URI="q.m4s"'],
  );
  assert.deepEqual(
    segments.map(({ sequence, uri, seconds, range, part, isGap, key, init }) =>
      [sequence, uri, seconds, range?.offset, part, isGap, key?.method, key?.iv?.at(-1), init?.uri].join(' '),
    ),
    [
      '7 http://h/a/all.ts 2 5 3 false AES-128 1 ',
      '8 http://h/a/all.ts 2 15 3 false AES-128 1 ',
      '9 http://other/0.m4s 1.5  4 true   http://h/a/init.mp4',
    ],
  );
  assert.deepEqual([isEnded, startSeconds], [false, -5.5]);
  assert.throws(() => readPlaylist('<html>', BASE), RangeError);
});

/** Break 7 begins, for 30 s, and ends; both at a time of another clock. */
const OUT = encodeSplice(breakOut({ eventId: 7, ticks: 5, durationTicks: 30 * 90_000, autoReturn: false }));
const IN = encodeSplice(breakIn({ eventId: 7, ticks: 9 }));

test('breaks of a playlist are cues of its segments, in every form in which servers write them', () => {
  const hex = (section: Buffer): string => `0x${section.toString('hex').toUpperCase()}`;
  const range = (...more: string[]): string =>
    ['#EXT-X-DATERANGE:ID="7"', 'START-DATE="2030-01-01T00:00:02.500Z"', ...more].join();
  const dated = '#EXT-X-PROGRAM-DATE-TIME:2030-01-01T00:00:00Z';
  /** The tags before each of the three segments, and the breaks that are heard in them: segment, direction, id, seconds within it, length. */
  const rows: [string, string[][], string[]][] = [
    ['CUE-OUT and CUE-IN', [[], ['#EXT-X-CUE-OUT:30'], ['#EXT-X-CUE-IN']], ['1 out 1 0 30', '2 in 1 0']],
    ['an attribute', [['#EXT-X-CUE-OUT:ID="a",DURATION=4.5']], ['0 out 1 0 4.5']],
    ['no length, and what goes on', [['#EXT-X-CUE-OUT'], ['#EXT-X-CUE-OUT-CONT:2/30']], ['0 out 1 0']],
    ['an end without a beginning', [['#EXT-X-CUE-IN']], []],
    [
      'a section beside the tag',
      [[], [`#EXT-OATCLS-SCTE35:${OUT.toString('base64')}`, '#EXT-X-CUE-OUT:30'], ['#EXT-X-CUE-IN']],
      ['1 out 7 0 30', '2 in 7 0'],
    ],
    [
      'EXT-X-SCTE35',
      [
        [`#EXT-X-SCTE35:ID="x",CUE="${OUT.toString('base64')}"`],
        [`#EXT-X-SCTE35:CUE="${OUT.toString('base64')}",CUE-OUT=CONT`],
      ],
      ['0 out 7 0 30'],
    ],
    [
      'a date range, whose end becomes known',
      [[dated], [range('PLANNED-DURATION=2', `SCTE35-OUT=${hex(OUT)}`)], [range('DURATION=2', `SCTE35-IN=${hex(IN)}`)]],
      ['1 out 7 0.5 30', '2 in 7 0.5'],
    ],
    ['a range of another time', [[dated.replace('2030', '2031'), range(`SCTE35-OUT=${hex(OUT)}`)]], []],
    ['what is no section', [['#EXT-OATCLS-SCTE35:!', '#EXT-X-SCTE35:CUE="AAAA"']], []],
  ];
  const track: Track = { kind: 'video', type: 0x1b, descriptors: Buffer.alloc(0), streamId: 0xe0 };
  for (const [name, before, expected] of rows) {
    const lines = [0, 1, 2].flatMap((n) => [...(before[n] ?? []), '#EXTINF:2,', `s${n}.ts`]);
    const cues = new PlaylistCues();
    const found = media(...lines).segments.flatMap((segment, n) => {
      const from = 1000 + 180_000 * n;
      const unit: Unit = { track, pts: from, dts: from, key: true, data: Buffer.alloc(1), duration: 0 };
      const { tracks, units } = cues.addTo({ tracks: [track], units: [unit] }, segment.cues);
      assert.equal(tracks.length, 2, 'the track of cues is always there');
      return units.slice(0, -1).map(({ data }) => {
        const { info } = decodeSplice(data);
        const { kind, eventId, seconds } = breakFacts(info!);
        return [n, kind, eventId, (spliceTicks(info!)! - from) / 90_000, seconds].join(' ').trim();
      });
    });
    assert.deepEqual(found, expected, name);
  }
  const section: Track = { kind: 'section', type: 0x86, descriptors: Buffer.alloc(0), streamId: 0xbd };
  const own = { tracks: [track, section], units: [{ track, pts: 0, dts: 0, key: true, data: OUT, duration: 0 }] };
  const [cue] = media('#EXT-X-CUE-OUT:30', '#EXTINF:2,', 's.ts').segments;
  assert.equal(new PlaylistCues().addTo(own, cue!.cues), own, 'a segment says its cues itself');
});

test('the largest picture that can be read is taken of a master playlist, with its sound, the default first', () => {
  const { master } = readPlaylist(
    [
      ...['#EXTM3U', '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="s",NAME="b",LANGUAGE="de",URI="de.m3u8"'],
      ...['#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="s",NAME="a",LANGUAGE="en",DEFAULT=YES,URI="en.m3u8"'],
      ...[
        '#EXT-X-STREAM-INF:BANDWIDTH=900000,RESOLUTION=640x360,CODECS="avc1.4d401e,mp4a.40.2",AUDIO="s"',
        'small.m3u8',
      ],
      ...[
        '#EXT-X-STREAM-INF:BANDWIDTH=3000000,RESOLUTION=1280x720,CODECS="avc1.4d401f,mp4a.40.2",AUDIO="s"',
        'low.m3u8',
      ],
      ...[
        '#EXT-X-STREAM-INF:BANDWIDTH=5000000,RESOLUTION=1280x720,CODECS="avc1.4d401f,mp4a.40.2",AUDIO="s"',
        'best.m3u8',
      ],
      ...['#EXT-X-STREAM-INF:BANDWIDTH=9000000,RESOLUTION=3840x2160,CODECS="av01.0.12M.08"', 'unread.m3u8'],
      ...['#EXT-X-STREAM-INF:BANDWIDTH=9900000,CODECS="mp4a.40.2"', 'sound.m3u8'],
    ].join('\n'),
    BASE,
  );
  const names = rankedVariants(master!, 36_000_000).map(({ uri }) => uri.slice(11, -5));
  assert.deepEqual(names, ['best', 'low', 'small', 'sound', 'unread']);
  assert.deepEqual(
    rankedVariants(master!, 36_000_000, 1).map(({ uri }) => uri.slice(11, -5)),
    ['low'],
  );
  const [best] = rankedVariants(master!, 36_000_000);
  assert.deepEqual(
    soundsOf(master!, best!).map(({ language }) => language),
    ['en', 'de'],
  );
});

/** The numbers of the segments that are read, playlist after playlist, and what was noticed. */
function read(...lists: MediaPlaylist[]): string {
  const order = new SegmentOrder();
  return lists
    .map((list, at) => {
      const { missed, isRestarted, isNews } = order.update(list, at * 2000);
      const taken: string[] = [];
      for (let next = order.take(); next !== undefined; next = order.take()) taken.push(next.uri.slice(11, -3));
      const notes = [
        missed > 0 && `missed ${missed}`,
        isRestarted && 'restarted',
        !isNews && 'same',
        order.isOver && 'over',
      ];
      return [...taken, ...notes.filter((note) => note !== false)].join(' ');
    })
    .join(' | ');
}

test('segments are read once and in order, whatever the origin does to its playlist', () => {
  const other = (n: number): string => `t${n}.ts`;
  const ended = live(3, 7);
  ended.isEnded = true;
  for (const [what, expected, ...lists] of [
    ['three target durations before the end', 's7 s8 s9', live(0, 9)],
    [
      'a whole programme from its start',
      's0 s1 s2 s3 over',
      live(0, 3, undefined, '#EXT-X-PLAYLIST-TYPE:VOD', '#EXT-X-ENDLIST'),
    ],
    ['where the playlist says', 's2 s3 s4', live(0, 4, undefined, '#EXT-X-START:TIME-OFFSET=4.5')],
    ['what is new', 's2 s3 s4 | s5 | same', live(0, 4), live(1, 5), live(1, 5)],
    ['the end', 's2 s3 s4 | s5 s6 s7 over', live(0, 4), ended],
    ['too late for some', 's2 s3 s4 | s27 s28 s29 missed 22', live(0, 4), live(20, 29)],
    ['a server that is behind', 's6 s7 s8 | same | s9', live(4, 8), live(3, 7), live(5, 9)],
    [
      'an origin that has begun anew',
      's96 s97 s98 | t0 t1 restarted | t2',
      live(90, 98),
      live(0, 1, other),
      live(0, 2, other),
    ],
    [
      'one that begins anew by the same names',
      's0 s1 s2 s3 | same | same | same | s0 s1 restarted',
      live(0, 3, undefined, '#EXT-X-START:TIME-OFFSET=0'),
      ...Array.from({ length: 4 }, () => live(0, 1)),
    ],
  ] as const)
    assert.equal(read(...lists), expected, what);
});

test('cookies go where they were set, and nowhere else', () => {
  let now = 0;
  const cookies = new Cookies(() => now);
  const at = (address: string): URL => new URL(address);
  cookies.set(at('https://live.example.com/a/b.m3u8'), [
    's=1; Path=/',
    'deep=2',
    'all=3; Domain=.example.com; Path=/',
    'tls=4; Secure; Path=/',
  ]);
  cookies.set(at('https://live.example.com/'), ['foreign=5; Domain=other.org', 'short=6; Max-Age=10']);
  assert.equal(cookies.header(at('https://live.example.com/a/0.ts')), 'deep=2; s=1; all=3; tls=4; short=6');
  assert.equal(cookies.header(at('http://live.example.com/0.ts')), 's=1; all=3; short=6');
  assert.equal(cookies.header(at('https://cdn.example.com/a/0.ts')), 'all=3');
  assert.equal(cookies.header(at('https://other.org/')), undefined);
  now = 11_000;
  cookies.set(at('https://live.example.com/'), ['s=; Max-Age=0']);
  assert.equal(cookies.header(at('http://live.example.com/')), 'all=3');
});

const VIDEO: Track = { kind: 'video', type: 0x1b, descriptors: Buffer.alloc(0), streamId: 0xe0 };
const SOUND: Track = { kind: 'sound', type: 0x0f, descriptors: Buffer.alloc(0), streamId: 0xc0 };

/** A segment of so many units, one each 3000 ticks. */
function segment(track: Track, part: number, from: number, count: number, isAfterGap = false): ReadSegment {
  const units = Array.from({ length: count }, (_, n): Unit => {
    const ticks = from + n * 3000;
    return { track, pts: ticks, dts: ticks, key: n === 0, data: Buffer.alloc(1), duration: 0 };
  });
  return { ...inOrder([track], units), part, seconds: (count * 3000) / 90_000, isAfterGap };
}

function queueOf(...segments: ReadSegment[]): { queue: ConstructorParameters<typeof Merge>[0][number]['queue'] } {
  return {
    queue: {
      get head() {
        return segments[0];
      },
      take: () => segments.shift(),
      get isOver() {
        return segments.length === 0;
      },
      onChange: () => undefined,
      close: () => undefined,
    },
  };
}

test('pictures and the sound beside them come in one order, over parts, wraps of the clock and missing segments', () => {
  const wrap = 2 ** 33;
  const merge = new Merge([
    queueOf(
      segment(VIDEO, 0, wrap - 3000, 1),
      segment(VIDEO, 0, 0, 1),
      segment(VIDEO, 0, 600_000, 1, true),
      segment(VIDEO, 1, 50, 2),
    ),
    queueOf(
      segment(SOUND, 0, wrap - 2900, 1),
      segment(SOUND, 0, 100, 1),
      segment(SOUND, 0, 300_000, 2),
      segment(SOUND, 0, 600_100, 9),
      segment(SOUND, 1, 60, 1),
    ),
  ]);
  const seen: string[] = [];
  for (let next = merge.peek(false); next !== undefined; next = merge.peek(false)) {
    merge.drop();
    seen.push(`${next.unit.track.kind[0]}${next.unit.dts - wrap}${next.startPts === undefined ? '' : '!'}`);
  }
  const later = (ticks: number): number => ticks - wrap;
  assert.deepEqual(seen, [
    ...[
      'v-3000!',
      's-2900',
      'v0',
      's100',
      'v600000!',
      's600100',
      's603100',
      `v${later(50)}!`,
      `s${later(60)}`,
      `v${later(3050)}`,
    ],
  ]);
  assert.ok(merge.isOver);
});
