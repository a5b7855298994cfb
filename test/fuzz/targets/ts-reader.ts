/** The transport stream of a source that is copied. */
import assert from 'node:assert/strict';
import { PACKET_BYTES, pidOf } from '../../../device/media/mpeg-ts/mpeg-ts.ts';
import { PesJoiner } from '../../../device/media/mpeg-ts/pes-joiner.ts';
import { patPacket, PMT_PID, pmtPackets } from '../../../device/media/mpeg-ts/psi.ts';
import { TsReader } from '../../../device/media/mpeg-ts/ts-reader.ts';
import { unitPackets } from '../../../device/media/mpeg-ts/unit-packets.ts';
import { pieces, type FuzzTarget } from '../target.ts';
import { mended } from '../transport.ts';

const [PICTURE, SOUND, CUES] = [0x100, 0x101, 0x102];
const streams = (picture: number, sound: number, at = 0x30): Buffer =>
  Buffer.concat([
    patPacket(0),
    pmtPackets(
      [picture, sound, 0x86].map((type, i) => ({ pid: at + i, type, descriptors: Buffer.alloc(0) })),
      at,
      0,
    ),
  ]);
const head = (id: number, ticks: number): Buffer => {
  const bytes = Buffer.from([0, 0, 1, id, 0, 0, 0x80, 0xc0, 10, 0x31, 0, 1, 0, 1, 0x11, 0, 1, 0, 1]);
  bytes.writeUInt16BE((ticks << 1) | 1, 12);
  bytes.writeUInt16BE((ticks << 1) | 1, 17);
  return bytes;
};
const unit = (pid: number, id: number, ticks: number, hex: string): Buffer =>
  unitPackets({ pid, parts: [head(id, ticks), Buffer.from(hex, 'hex')], isKey: false, clock: undefined });
const AVC = '0000000109f0000000016742001e000000016588840021';
const ADTS = 'fff15080013ffc2100';
const stream = (picture: number, sound: number, key: string, frame: string, at?: number): Buffer =>
  Buffer.concat([
    streams(picture, sound, at),
    unit(at ?? 0x30, 0xe0, 3600, key),
    unit((at ?? 0x30) + 1, 0xc0, 3600, frame),
    unit(at ?? 0x30, 0xe0, 7200, key),
    unit((at ?? 0x30) + 1, 0xc0, 5520, frame + frame),
  ]);

export const target: FuzzTarget = {
  seeds: [
    Buffer.concat([Buffer.from([0]), stream(0x1b, 0x0f, AVC, ADTS)]),
    Buffer.concat([Buffer.from([3]), stream(0x24, 0x03, '000001260100000001020100', 'fffd44c4' + '00'.repeat(200))]),
    Buffer.concat([
      Buffer.from([3]),
      stream(0x02, 0x81, '000001b3140f0013000001000008', '0b770000000000' + '00'.repeat(121)),
    ]),
    // The map changes: other PIDs, other codecs.
    Buffer.concat([Buffer.from([3]), stream(0x1b, 0x0f, AVC, ADTS), stream(0x24, 0x0f, AVC, ADTS, 0x40)]),
  ],
  run(bytes) {
    read(bytes.subarray(1), bytes[0] ?? 0);
    read(mended(bytes.subarray(1)), bytes[0] ?? 0);
  },
};

function read(bytes: Buffer, rule: number): void {
  let given = 0;
  let isUnfit = false;
  const units = new PesJoiner();
  const take = (packets: Buffer): void => {
    assert.ok(!isUnfit && packets.length > 0 && packets.length % PACKET_BYTES === 0);
    given += packets.length;
    for (let at = 0; at < packets.length; at += PACKET_BYTES) {
      assert.equal(packets[at], 0x47);
      assert.ok([0, PMT_PID, PICTURE, SOUND].includes(pidOf(packets, at)));
      const starts = (packets[at + 1]! & 0x40) !== 0;
      if (pidOf(packets, at) >= PICTURE && pidOf(packets, at) <= SOUND)
        units.push({ bytes: packets.subarray(at, at + PACKET_BYTES), starts, key: false, pts: 0 });
    }
  };
  const reader = new TsReader(
    { program: undefined, picture: PICTURE, sounds: [{ pid: SOUND, number: 0, language: 'und' }] },
    {
      nextTicks: () => 900_000,
      onPackets: take,
      onRecoded: () => undefined,
      onChange: () => undefined,
      onLacking: () => undefined,
      onCue: (section, times) =>
        assert.ok(section.length <= 4098 && Number.isFinite(times.ticksAt(CUES) + times.newest)),
      onUnfit: () => (isUnfit = true),
    },
  );
  for (const [n, part] of pieces(bytes, rule).entries()) reader.push(part, n * 10);
  reader.finish();
  // A frame of sound of eight bytes has a packet of its own.
  assert.ok(given <= 30 * bytes.length + 10 * PACKET_BYTES, `${given} bytes of ${bytes.length}`);
}
