/** Captions in SEI and user data of a source, and what they are paced into. */
import assert from 'node:assert/strict';
import { CaptionChannels } from '../../../device/media/captions/cc-channels.ts';
import { atscUserData, PAIR_BYTES, withParity } from '../../../device/media/captions/cc-data.ts';
import { CaptionPacer } from '../../../device/media/captions/cc-pacer.ts';
import { CaptionReader } from '../../../device/media/captions/cc-reader.ts';
import { captionPlace, frameCaptions, mayHoldCaptions, withCaptions } from '../../../device/media/captions/cc-unit.ts';
import { CaptionTracks } from '../../../device/media/webvtt/caption-tracks.ts';
import { TextSegments } from '../../../device/media/webvtt/text-segments.ts';
import { webvttSegment } from '../../../device/media/webvtt/webvtt-segment.ts';
import { wvttSegment } from '../../../device/media/webvtt/wvtt.ts';
import { elementaryBytes, PACKET_BYTES } from '../../../device/media/mpeg-ts/mpeg-ts.ts';
import { patPacket, pmtPackets } from '../../../device/media/mpeg-ts/psi.ts';
import { id3Packets } from '../../../device/media/mpeg-ts/ts-metadata.ts';
import { pieces, type FuzzTarget } from '../target.ts';
import { mended } from '../transport.ts';

const TRIPLES = Buffer.from('fc9420fd8080ff0322fe4100', 'hex');
const USER = atscUserData(TRIPLES);
const SEI = Buffer.concat([Buffer.from([0, 0, 0, 1, 6, 4, USER.length]), USER, Buffer.from([0x80])]);
const stream = (type: number, unit: Buffer): Buffer => {
  const streams = [{ pid: 0x100, type, descriptors: Buffer.alloc(0) }];
  return Buffer.concat([patPacket(0), pmtPackets(streams, 0x100, 0), id3Packets(0x100, unit, 900_000, 0)]);
};

/** The bytes as pairs of captions, their types and parity made good, so that each of them reaches a decoder. */
function decode(bytes: Buffer): void {
  const tracks = new CaptionTracks();
  const segments = new TextSegments(tracks);
  for (let at = 0; at + PAIR_BYTES <= bytes.length; at += PAIR_BYTES) {
    const [type, a, b] = [bytes[at]! & 3, bytes[at + 1]!, bytes[at + 2]!];
    const pair = type < 2 ? [withParity(a), withParity(b)] : [a, b];
    tracks.push(at * 1000, Buffer.from([type, ...pair]));
  }
  const end = Math.max(1, bytes.length * 1000);
  for (const channel of tracks.channels) {
    const cues = segments.cues(channel, 0, end);
    for (const { startTicks, endTicks } of cues) assert.ok(startTicks < endTicks);
    assert.ok(!webvttSegment(0, cues).includes('undefined'));
    assert.ok(wvttSegment(1, 0, end, cues).length > 0);
  }
}

export const target: FuzzTarget = {
  seeds: [
    Buffer.from('00009420009420009470006869002c00942f03051f0298000046201100110048690189010000', 'hex'),
    Buffer.concat([Buffer.from([0x1b]), SEI]),
    Buffer.concat([Buffer.from([0x24, 0, 0, 1, 0x4e, 1, 4, USER.length]), USER, Buffer.from([0x80])]),
    Buffer.concat([Buffer.from([0x02, 0, 0, 1, 0xb2]), USER.subarray(3)]),
    Buffer.concat([Buffer.from([0x1b]), stream(0x1b, SEI)]),
    Buffer.concat([Buffer.from([0x02]), stream(0x02, Buffer.from('000001b20380ffff000001b2434301f8', 'hex'))]),
  ],
  run(bytes) {
    const [type, rest] = [bytes[0] ?? 0, bytes.subarray(1)];
    decode(rest);
    const channels = new CaptionChannels();
    const pacer = new CaptionPacer(25);
    const pace = (pairs: Buffer | undefined, ticks: number): void => {
      if (pairs === undefined) return;
      assert.equal(pairs.length % PAIR_BYTES, 0);
      channels.note(pairs);
      pacer.push(ticks, pairs);
    };
    frameCaptions(type, rest).forEach(({ pairs }, i) => pace(pairs, i * 3600));
    for (const data of [rest, mended(rest)]) {
      const reader = new CaptionReader();
      for (const part of pieces(data, type))
        for (const { pairs, seconds } of reader.push(part)) pace(pairs, Math.round(seconds * 90_000));
    }
    // Three pairs a frame and field at most, whatever waits.
    for (let i = 0; i < 8; i += 1) assert.ok((pacer.frame(i * 3600)?.length ?? 0) <= 31 * PAIR_BYTES);
    const all = mended(rest);
    const whole = all.subarray(0, all.length - (all.length % PACKET_BYTES));
    const parts = Array.from({ length: whole.length / PACKET_BYTES }, (_, i) =>
      elementaryBytes(whole, i * PACKET_BYTES),
    );
    const isHeld = frameCaptions(type, Buffer.concat(parts)).length > 0;
    assert.ok(!isHeld || mayHoldCaptions(type, whole, whole.length), 'captions that are not looked for');
    const packets = all.subarray(0, PACKET_BYTES);
    const place = packets.length === PACKET_BYTES ? captionPlace(type, packets) : undefined;
    if (place === undefined) return;
    const written = withCaptions(type, packets, place, TRIPLES);
    assert.equal(written.length % PACKET_BYTES, 0);
    assert.ok(written.length <= 3 * PACKET_BYTES);
  },
};
