/** Cues beside a source, as ffmpeg's muxer hands them on. */
import assert from 'node:assert/strict';
import { heartbeat } from '../../helpers/cue-messages.ts';
import { CueReader } from '../../../device/media/scte35/cue-reader.ts';
import { patPacket, pmtPackets } from '../../../device/media/mpeg-ts/psi.ts';
import { id3Packets } from '../../../device/media/mpeg-ts/ts-metadata.ts';
import { pieces, type FuzzTarget } from '../target.ts';
import { mended } from '../transport.ts';

const HEAD = [patPacket(0), pmtPackets([{ pid: 0x100, type: 0x06, descriptors: Buffer.alloc(0) }], 0x100, 0)];

export const target: FuzzTarget = {
  seeds: [
    Buffer.concat([Buffer.from([0]), ...HEAD, id3Packets(0x100, heartbeat(), 90_000, 0)]),
    // A section of two packets.
    Buffer.concat([
      Buffer.from([1]),
      ...HEAD,
      id3Packets(0x100, Buffer.concat([Buffer.from('fc30ff', 'hex'), Buffer.alloc(300)]), 90_000, 0),
    ]),
  ],
  run(bytes) {
    read(bytes.subarray(1), bytes[0] ?? 0);
    read(mended(bytes.subarray(1)), bytes[0] ?? 0);
  },
};

function read(bytes: Buffer, rule: number): void {
  const reader = new CueReader(10);
  let held = 0;
  for (const part of pieces(bytes, rule))
    for (const { section, seconds } of reader.push(part)) {
      held += section.length;
      assert.ok(Number.isFinite(seconds));
    }
  assert.ok(held <= bytes.length);
}
