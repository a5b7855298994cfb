/** Captions in pictures: read, paced for another rate, put back, and announced. The bytes of sources are made by the tests' own hand. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as HLS from 'hls-parser';
import { captionAccessibility, captionMediaLines } from '../../../device/media/manifests/caption-announcement.ts';
import { CaptionChannels } from '../../../device/media/captions/cc-channels.ts';
import { captionsIn, PAIR_BYTES } from '../../../device/media/captions/cc-data.ts';
import { CaptionPacer } from '../../../device/media/captions/cc-pacer.ts';
import { captionPlace, frameCaptions, mayHoldCaptions, withCaptions } from '../../../device/media/captions/cc-unit.ts';
import { masterPlaylistText } from '../../../device/media/manifests/hls-playlist.ts';
import { elementaryBytes, PACKET_BYTES, payloadStart } from '../../../device/media/mpeg-ts/mpeg-ts.ts';
import { unitPackets } from '../../../device/media/mpeg-ts/unit-packets.ts';
import { Captions } from '../../../device/runner/stream/captions.ts';
import { planLadder } from '../../../device/media/ladder/ladder-plan.ts';
import { rendition } from '../runner/specs.ts';

const TICKS = 90_000;
const [H264, HEVC, MPEG2] = [0x1b, 0x24, 0x02];
const RCL = [0x94, 0x20] as const;
const EOC = [0x94, 0x2f] as const;
const EMPTY = [0x80, 0x80] as const;

function field1(...pairs: (readonly [number, number])[]): Buffer {
  return Buffer.from(pairs.flatMap(([a, b]) => [0, a, b]));
}

/** Valid pairs of a type in what is sent with one picture. */
function sent(triples: Buffer | undefined, type: number): string[] {
  const pairs: string[] = [];
  for (let at = 0; at < (triples?.length ?? 0); at += PAIR_BYTES)
    if (triples![at] === (0xfc | type)) pairs.push(triples!.toString('hex', at + 1, at + 3));
  return pairs;
}

/** The caption pairs that leave on field 1 when the source has these pairs, one a frame of its own; empty ones left out. */
function paced(source: (readonly [number, number])[], sourceFps: number, fps: number): string[][] {
  const pacer = new CaptionPacer(fps);
  const out: string[][] = [];
  let next = 0;
  for (let frame = 0; frame < (source.length / sourceFps) * fps + 20; frame += 1) {
    const ticks = (frame / fps) * TICKS;
    for (; next < source.length && (next / sourceFps) * TICKS <= ticks; next += 1)
      pacer.push(ticks, Buffer.from([0, ...source[next]!, 1, 0x80, 0x80]));
    out.push(sent(pacer.frame(ticks), 0));
  }
  return out;
}

test('a unit that may hold captions is found wherever it lies in the packets, and nothing else is taken for one', () => {
  const head = Buffer.from('000001e000008480052100010001', 'hex');
  const units: [number, string][] = [
    [H264, '00000106'],
    [HEVC, '0000014e'],
    [HEVC, '00000150'],
    [MPEG2, '000001b2'],
  ];
  for (const [type, unit] of units)
    for (const [bytes, isThere] of [
      [unit, true],
      [unit.replace('000001', '000101'), false],
      [`000001${type === MPEG2 ? '01' : '02'}`, false],
    ] as const)
      for (let before = 0; before < 2 * PACKET_BYTES; before += 1) {
        const data = Buffer.concat([Buffer.alloc(before, 0xff), Buffer.from(bytes, 'hex'), Buffer.alloc(400, 0xff)]);
        const packets = unitPackets({ pid: 0x101, parts: [head, data], isKey: true, clock: 0 });
        assert.equal(mayHoldCaptions(type, packets, packets.length), isThere, `${bytes} behind ${before} bytes`);
      }
});

test('each rate has its number of caption pairs, and its share of line 21', () => {
  for (const [fps, count, perSecond] of [
    [24, 25, 30],
    [25, 24, 30],
    [30_000 / 1001, 20, 30],
    [30, 20, 30],
    [50, 12, 30],
    [60, 10, 30],
    [15, 31, 30],
  ] as const) {
    const pacer = new CaptionPacer(fps);
    const seconds = 10;
    let [first, second] = [0, 0];
    for (let frame = 0; frame < Math.round(fps * seconds); frame += 1) {
      pacer.push((frame / fps) * TICKS, Buffer.from([0, 0x80, 0x80, 1, 0x80, 0x80]));
      const triples = pacer.frame((frame / fps) * TICKS)!;
      assert.equal(triples.length, count * PAIR_BYTES, `${fps}`);
      first += sent(triples, 0).length;
      second += sent(triples, 1).length;
      if (fps > 31) assert.ok(sent(triples, 0).length + sent(triples, 1).length <= 2);
    }
    for (const pairs of [first, second]) assert.ok(Math.abs(pairs / seconds - perSecond) <= 0.3, `${fps}: ${pairs}`);
  }
});

test('two equal caption commands leave together at every rate, and no pair is lost or sent twice', () => {
  const text = Array.from('TWO LINES OF A CAPTION', (letter) => [letter.charCodeAt(0) | 0x80, 0x80] as const);
  const source = [RCL, RCL, ...text, EMPTY, EOC, EOC, EMPTY, EMPTY, RCL, RCL, EOC, EMPTY, EOC, EMPTY, ...text];
  const wanted = source.filter((pair) => pair !== EMPTY).map(([a, b]) => Buffer.from([a, b]).toString('hex'));
  for (const sourceFps of [24, 25, 29.97, 30])
    for (const fps of [24, 25, 29.97, 30, 50, 60]) {
      const out = paced(source, sourceFps, fps);
      const what = `${sourceFps} to ${fps}`;
      assert.deepEqual(
        out.flat().filter((pair) => pair !== '8080'),
        wanted,
        what,
      );
      const line = out.flat();
      const eoc = line.indexOf('942f');
      assert.equal(line[eoc + 1], '942f', `${what}: the second one follows at once`);
      const rest = line.slice(line.lastIndexOf('9420'));
      const [once, again] = rest.flatMap((pair, i) => (pair === '942f' ? [i] : []));
      assert.ok(again! - once! > 1, `${what}: two that do not follow each other stay two`);
    }
});

test('captions that are shown are erased, in the channels and services that were used', () => {
  const pacer = new CaptionPacer(30);
  const service = Buffer.from([3, 0x02, 0x22, 2, 0x48, 0x49]);
  pacer.push(0, Buffer.concat([field1(RCL), service]));
  pacer.push(3000, undefined);
  const out = Array.from({ length: 8 }, (_, frame) => pacer.frame(frame * 3000)!);
  assert.deepEqual(
    out.flatMap((triples) => sent(triples, 0)).filter((pair) => pair !== '8080'),
    ['942c', '942c', '94ae', '94ae'],
  );
  assert.deepEqual(
    out.flatMap((triples) => sent(triples, 1)),
    [],
  );
  const packets = out.flatMap((triples) => [...sent(triples, 3), ...sent(triples, 2)]);
  // The packet of the caption; then the next one, of two pairs: one byte for service 1, reset.
  assert.deepEqual(packets, ['0222', '4849', '4221', '8f00']);
});

test('pictures are left alone before captions begin and some seconds after they have ended', () => {
  const pacer = new CaptionPacer(30);
  assert.equal(pacer.frame(0), undefined);
  pacer.push(3000, field1(EMPTY));
  assert.notEqual(pacer.frame(3000), undefined);
  assert.notEqual(pacer.frame(4 * TICKS), undefined);
  assert.equal(pacer.frame(6 * TICKS), undefined);
});

test('line 21 and caption services are distinguished', () => {
  const of = (...pairs: number[]): string[] => {
    const channels = new CaptionChannels();
    channels.note(Buffer.from(pairs));
    return channels.all;
  };
  assert.deepEqual(of(0, 0x80, 0x80), ['CC1']);
  assert.deepEqual(of(1, 0x80, 0x80), []);
  assert.deepEqual(of(0, 0x1c, 0x20, 1, 0x15, 0x20, 1, 0x9d, 0x26), ['CC1', 'CC2', 'CC3', 'CC4']);
  assert.deepEqual(of(1, 0x15, 0x2a), [], 'text mode is no caption');
  assert.deepEqual(of(1, 0x15, 0xa0), [], 'a byte without odd parity is damaged');
  assert.deepEqual(of(3, 0x04, 0x21, 2, 0x48, 0x42, 2, 0x48, 0x49, 2, 0xe1, 0x09), [
    'SERVICE1',
    'SERVICE2',
    'SERVICE9',
  ]);
  assert.deepEqual(of(2, 0x21, 0x48), [], 'the middle of a packet tells nothing');
});

test('kinds of captions that are not read are named', () => {
  assert.equal(captionsIn(Buffer.from([0x03, 0x81, 0x02, 0x00])).unreadable, 'SCTE 20');
  assert.equal(captionsIn(Buffer.from([0x43, 0x43, 0x01, 0xf8, 0x9e])).unreadable, 'DVD line 21');
  // Bar data and the active format are none.
  assert.deepEqual(captionsIn(Buffer.from('GA94\x06\x00')), { pairs: undefined, unreadable: undefined });
  assert.deepEqual(captionsIn(Buffer.from('DTG1AF')), { pairs: undefined, unreadable: undefined });
});

/** A PES unit in packets, the first one with a PCR. */
function packets(es: Buffer, length: number): Buffer {
  const header = Buffer.from([0, 0, 1, 0xe0, length >> 8, length & 0xff, 0x80, 0x80, 5, 0x21, 0, 1, 0, 1]);
  const payload = Buffer.concat([header, es]);
  const first = Buffer.concat([
    Buffer.from('4741003007500000000100ff', 'hex').subarray(0, 12),
    payload.subarray(0, 176),
  ]);
  const rest: Buffer[] = [];
  for (let at = 176; at < payload.length; at += 184)
    rest.push(Buffer.concat([Buffer.from([0x47, 0x01, 0, 0x10]), payload.subarray(at, at + 184)]));
  return Buffer.concat([first, ...rest]);
}

function elementary(data: Buffer): Buffer {
  const count = data.length / PACKET_BYTES;
  return Buffer.concat(Array.from({ length: count }, (_, i) => elementaryBytes(data, i * PACKET_BYTES)));
}

test('a SEI is put before the first picture data, and all else stays', () => {
  const slice = Buffer.alloc(162 + 184 - 40, 0x5a);
  const avc = Buffer.concat([
    Buffer.from('00000001091000000001674d401e00000001 68ee3c80000000 01'.replaceAll(' ', ''), 'hex'),
    Buffer.from([0x65]),
    slice,
  ]);
  const hevc = Buffer.concat([
    Buffer.from('0000000146015000000001400100000001 4201000000014401000001 2601'.replaceAll(' ', ''), 'hex'),
    slice,
  ]);
  // Zeros that would make a start code.
  const triples = Buffer.from([0xfc, 0x80, 0x80, 0xfa, 0, 0, 0xfa, 0, 0, 0xfa, 0, 0]);
  for (const [type, es, at] of [
    [H264, avc, 22],
    [HEVC, hevc, 25],
  ] as const)
    for (const length of [0, 500, 0xfff0]) {
      const before = packets(
        Buffer.concat([es, Buffer.alloc((184 - ((es.length + 14 - 176) % 184)) % 184, 0x5a)]),
        length,
      );
      const place = captionPlace(type, before.subarray(0, PACKET_BYTES))!;
      const after = withCaptions(type, before, place, triples);
      const [was, is] = [elementary(before), elementary(after)];
      const more = is.length - was.length;
      assert.equal(after.length - before.length, PACKET_BYTES);
      assert.deepEqual(is.subarray(0, at), was.subarray(0, at));
      assert.deepEqual(is.subarray(at + more), was.subarray(at), 'what follows is as it was');
      const sei = is.subarray(at, at + more);
      assert.equal(sei.indexOf(Buffer.from([0, 0, 1]), 4), -1, 'no start code within');
      assert.equal(sei.indexOf(Buffer.from([0, 0, 0]), 4), -1);
      assert.deepEqual(after.subarray(4, 12), before.subarray(4, 12), 'the PCR stays where it was');
      const packetLength = after.readUInt16BE(payloadStart(after, 0) + 4);
      assert.equal(packetLength, length === 0 || length + more > 0xffff ? 0 : length + more);
      assert.deepEqual(
        frameCaptions(type, is).flatMap(({ pairs }) => [...(pairs ?? [])]),
        [0, 0x80, 0x80],
      );
    }
  assert.equal(captionPlace(MPEG2, packets(avc, 0)), undefined);
});

test('captions go with the sound that is on air, and end with the source', () => {
  const captions = new Captions(planLadder([rendition(11, 320, 180, 300)]));
  const left: Buffer[] = [];
  const source = { isOnAir: true, leave: () => left.splice(0) };
  captions.join(source);
  const es = Buffer.concat([
    Buffer.from('000000010910000000 0165'.replaceAll(' ', ''), 'hex'),
    Buffer.alloc(300, 0x5a),
  ]);
  let ticks = 0;
  const picture = (...pairs: Buffer[]): string[] => {
    left.push(...pairs);
    ticks += 3000;
    captions.frame(ticks);
    const out = captions.pass(0x100, H264, packets(es, 0), ticks);
    const found = frameCaptions(H264, elementary(out)).flatMap((one) => (one.pairs === undefined ? [] : [one.pairs]));
    return found.map((all) => all.toString('hex', 1, 3));
  };
  assert.deepEqual(captions.announced, []);
  assert.deepEqual(picture(), [], 'nothing is added without captions');
  assert.deepEqual(picture(field1([0xc8, 0x45])), ['c845']);
  assert.deepEqual(captions.announced, ['CC1']);
  captions.isMuted = true;
  assert.deepEqual(picture(field1([0xc8, 0x45])), ['942c']);
  assert.deepEqual([picture(), picture(), picture(field1([0xc8, 0x45])), picture()].flat(), [
    '942c',
    '94ae',
    '94ae',
    '8080',
  ]);
  captions.isMuted = false;
  assert.deepEqual(picture(field1([0x49, 0xce])), ['49ce']);
  // Another source on air: what it had for pictures that nobody saw is not sent.
  source.isOnAir = false;
  captions.join({ isOnAir: true, leave: () => [field1([0x4f, 0x4f])] });
  assert.deepEqual(picture(), ['942c']);
});

test('playlists and manifests name captions, or say that there are none', () => {
  const variant = { uri: 'a.m3u8', bandwidth: 1, averageBandwidth: 1, codecs: [], frameRate: 30 };
  const variants = [
    { ...variant, resolution: { width: 2, height: 2 } },
    { ...variant, resolution: undefined },
  ];
  const none = masterPlaylistText({ version: 6, variants, captions: [] });
  assert.equal(none.match(/CLOSED-CAPTIONS=NONE/gu)?.length, 2, 'RFC 8216 wants all or none');
  const text = masterPlaylistText({ version: 6, variants, captions: ['CC1', 'CC3', 'SERVICE2'] });
  assert.ok(text.startsWith('#EXTM3U\n#EXT-X-VERSION:7\n'));
  const { variants: read } = HLS.parse(text) as HLS.types.MasterPlaylist;
  assert.deepEqual(read[0]!.closedCaptions.map(({ name }) => name).sort(), ['CC1', 'CC3', 'Service 2']);
  assert.equal(read[1]!.closedCaptions.length, 0);
  assert.ok(masterPlaylistText({ version: 6, variants, captions: ['CC1'] }).includes('#EXT-X-VERSION:6'));
  assert.deepEqual(captionMediaLines([]), []);
  const xml = captionAccessibility(['CC1', 'CC3', 'SERVICE2']).map((one) => one.text(''));
  assert.deepEqual(xml, [
    '<Accessibility schemeIdUri="urn:scte:dash:cc:cea-608:2015" value="CC1=und;CC3=und"/>\n',
    '<Accessibility schemeIdUri="urn:scte:dash:cc:cea-708:2015" value="2=lang:und"/>\n',
  ]);
});
