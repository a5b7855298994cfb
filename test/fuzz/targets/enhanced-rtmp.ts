/** Messages of Enhanced RTMP, from their tags to the Matroska that readers get and the facts that are told. */
import assert from 'node:assert/strict';
import { FlvFacts } from '../../../device/media/rtmp/flv-facts.ts';
import { MatroskaJoiner } from '../../../device/media/rtmp/matroska-joiner.ts';
import { unreadCodec } from '../../../device/media/rtmp/flv-codecs.ts';
import type { FuzzTarget } from '../target.ts';

/** Each message: type, a byte of time in steps of 20 ms, two bytes of length, and its body. */
function input(...messages: [type: number, step: number, hex: string][]): Buffer {
  const parts = messages.map(([type, step, hex]) => {
    const body = Buffer.from(hex, 'hex');
    return Buffer.concat([Buffer.from([type, step, body.length >> 8, body.length & 255]), body]);
  });
  return Buffer.concat(parts);
}

const [HEVC, AV1, VP9, OPUS] = ['68766331', '61763031', '76703039', '4f707573'];
const AV1_RECORD = '81004c000a0d0000000337fbe017c284880482';
const OPUS_HEAD = '4f7075734865616401013801 80bb00000000 00'.replaceAll(' ', '');
const KEY_OF_VP9 = '824983420007f005f0';

export const target: FuzzTarget = {
  seeds: [
    input(
      [9, 0, `90${HEVC}01016000`],
      [9, 1, `91${HEVC}00005026010203`],
      [9, 2, `a3${HEVC}0201`],
      [9, 20, `92${HEVC}`],
    ),
    input(
      [9, 0, `90${AV1}${AV1_RECORD}`],
      [8, 0, `90${OPUS}${OPUS_HEAD}`],
      [9, 1, `91${AV1}12000a0b`],
      [8, 1, `91${OPUS}f8b4`],
    ),
    // Several tracks in each of the three ways, and a modifier.
    input(
      [8, 0, `9500${OPUS}01${OPUS_HEAD}`],
      [8, 1, `9511${OPUS}00000002f8b401000001f8`],
      [9, 1, `9621${VP9}00000009${KEY_OF_VP9}`],
    ),
    input(
      [9, 0, `97020000090 7`.replace(' ', '')],
      [9, 1, `9702000009f1${VP9}${KEY_OF_VP9}`],
      [9, 2, `97ff012b${'00'.repeat(300)}01${VP9}82`],
    ),
    // Plain tags beside them, metadata, commands, sound with its rate in its frames.
    input(
      [8, 0, 'af001210'],
      [8, 1, 'af01210a'],
      [9, 0, `94${HEVC}0200`],
      [9, 1, 'd100'],
      [8, 2, `9161632d330b77000050401f`],
    ),
  ],
  run(bytes) {
    const [joiner, facts] = [new MatroskaJoiner(), new FlvFacts()];
    let [written, time, count] = [0, 0, 0];
    for (let at = 0; at + 4 <= bytes.length;) {
      const type = bytes[at]!;
      time = (time + bytes[at + 1]! * 20) % 2 ** 32;
      const end = Math.min(at + 4 + bytes.readUInt16BE(at + 2), bytes.length);
      const message = { type, time, stream: 1, body: bytes.subarray(at + 4, end) };
      at = end;
      count += 1;
      const why = unreadCodec(message, true);
      assert.ok(why === undefined || /is not read here/u.test(why));
      facts.take(message);
      written += joiner.take(message)?.bytes.length ?? 0;
      const { beginning } = joiner;
      assert.ok(beginning.length === 0 || beginning[0]!.readUInt32BE(0) === 0x1a45dfa3);
    }
    const { video, audio } = facts;
    assert.ok(video === null || (video.width >= 0 && video.height >= 0));
    assert.ok(audio.length <= 256 && audio.every(({ channels }) => channels >= 0));
    // A block has some 30 bytes beside its frame, of which a message may hold one in every four bytes.
    assert.ok(written <= 64 * (bytes.length + count), `${written} bytes are written of ${bytes.length}`);
  },
};
