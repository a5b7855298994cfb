/** Media of strangers in a transport stream, packed into MP4: nothing of it ends the process, and what comes out can be read. */
import assert from 'node:assert/strict';
import { Fmp4Parser } from '../../../device/media/fmp4/fmp4-parser.ts';
import { FragmentWriter } from '../../../device/media/units/fragment-writer.ts';
import type { Announced } from '../../../device/media/units/sound-samples.ts';
import { NotRead, TYPES } from '../../../device/media/units/track.ts';
import { TsWriter } from '../../../device/media/units/ts-writer.ts';
import { PACKET_BYTES } from '../../../device/media/mpeg-ts/mpeg-ts.ts';
import { refusing, type FuzzTarget } from '../target.ts';

const KINDS = [TYPES.avc, TYPES.hevc, TYPES.adts, TYPES.mp3, TYPES.private];
const OPUS = Buffer.from('05044f7075737f028002', 'hex');
const SPS = '000000016742c00ada0a37e4c044000003000400000300503c489a80';
const PICTURE = Buffer.from(`0000000109f0${SPS}0000000168ce3c800000000165888400`, 'hex');
const ADTS = Buffer.from('fff14c8002bffc21fff14c8002bffc21', 'hex');

/** Its first bytes are the kind, the seconds of a fragment, and times; the rest are units of so many bytes. */
export const target: FuzzTarget = {
  seeds: [
    Buffer.concat([Buffer.from([0, 0, 9, 9, 9, PICTURE.length]), PICTURE, PICTURE, PICTURE]),
    Buffer.concat([Buffer.from([2, 1, 0, 7, 0, ADTS.length]), ADTS, ADTS, ADTS]),
    Buffer.concat([Buffer.from([4, 1, 20, 1, 1, 7]), Buffer.from('7fe004fcfffe017fe004fcfffe01', 'hex')]),
    Buffer.concat([Buffer.from([3, 2, 1, 1, 1, 200]), Buffer.from(`fffd44c4${'00'.repeat(413)}`, 'hex')]),
    Buffer.concat([Buffer.from([1, 1, 1, 200, 1, 40]), Buffer.from('00000001460150000000014001', 'hex'), PICTURE]),
  ],
  run(bytes) {
    if (bytes.length < 7) return;
    const [kind, group, step, jump, delay, size] = bytes;
    const type = KINDS[kind! % KINDS.length]!;
    const isVideo = kind! % KINDS.length < 2;
    const descriptors = type === TYPES.private ? OPUS : Buffer.alloc(0);
    const announced = (): Announced => ({ type, descriptors });
    const writer = new FragmentWriter({ isVideo, announced, maxSeconds: [0, 0.5, Infinity][group! % 3]! });
    const parser = new Fmp4Parser();
    let written = 0;
    const check = (events: ReturnType<FragmentWriter['push']>): void => {
      for (const { init, fragment } of events) {
        const [read] = parser.push(init?.bytes ?? fragment!.bytes);
        if (fragment === undefined) assert.equal(read?.init?.codecs, init!.codecs);
        else {
          const { startTime, decodeTime, samples } = read!.fragment!;
          assert.deepEqual(
            [startTime, decodeTime, samples],
            [fragment.startTime, fragment.decodeTime, fragment.samples],
          );
          written += fragment.data.length;
        }
      }
    };
    const kindOf = isVideo ? 'video' : 'sound';
    const track = { kind: kindOf, type, descriptors, streamId: isVideo ? 0xe0 : 0xc0 } as const;
    const packets = new TsWriter([track], { pids: [0x100] });
    refusing([NotRead], () => {
      let ticks = 900_000;
      for (let at = 6, n = 0; at < bytes.length; at += size! + 1, n += 1) {
        ticks += step! * 100 * (n % 5 === 4 ? (jump! - 128) * 10_000 : 1);
        const dts = ticks - (n % 3) * delay! * 90;
        const isKey = n % 7 === 0;
        const unit = packets.unit(0, { pts: ticks, dts }, isKey, [bytes.subarray(at, at + size! + 1)]);
        const half = Math.ceil(unit.length / PACKET_BYTES / 2) * PACKET_BYTES;
        check(writer.push({ bytes: unit.subarray(0, half), starts: true, key: isKey, pts: ticks }));
        if (half < unit.length)
          check(writer.push({ bytes: unit.subarray(half), starts: false, key: false, pts: undefined, ends: true }));
      }
      check(writer.finish());
    });
    assert.ok(written <= 4 * bytes.length, `${written} bytes of ${bytes.length}`);
  },
};
