/** The reader of transport streams for copies: what comes out of it has the frames that came, under other PIDs and times. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PACKET_BYTES, pidOf, readPts, startsUnit } from '../../../device/media/mpeg-ts/mpeg-ts.ts';
import { PacketSync } from '../../../device/media/mpeg-ts/packet-sync.ts';
import { PMT_PID } from '../../../device/media/mpeg-ts/psi.ts';
import { SourceTimes } from '../../../device/media/mpeg-ts/source-times.ts';
import { testFolder } from '../../helpers/test-folder.ts';
import { copyOf, copyOfFfmpeg, FIRST_TICKS, framesOf, made, PICTURE, SOUND } from './ts-copies.ts';

const USUAL = '-t 2 -c:v libx264 -preset veryfast -bf 2 -g 25 -c:a aac';
const WRAP = 2 ** 33;

describe('the reader of transport streams', () => {
  it('has the frames of its source as the copy of ffmpeg has them, however they come in', (t) => {
    const dir = testFolder(t, 'ts-reader');
    const stream = made(dir, 'usual', USUAL, '-streamid 0:300 -streamid 1:301');
    const wanted = {
      v: framesOf(dir, copyOfFfmpeg(dir, stream), 'v'),
      a: framesOf(dir, copyOfFfmpeg(dir, stream), 'a'),
    };
    assert.equal(wanted.v.length, 50);
    const { bytes, holes, notes } = copyOf(stream);
    assert.deepEqual([holes, notes], [0, []]);
    assert.deepEqual({ v: framesOf(dir, bytes, 'v'), a: framesOf(dir, bytes, 'a') }, wanted);
    const pids = new Set(Array.from({ length: bytes.length / PACKET_BYTES }, (_, n) => pidOf(bytes, n * PACKET_BYTES)));
    assert.deepEqual([...pids].sort(), [0, PICTURE, SOUND, PMT_PID].sort());
    for (const step of [1, 100, 188, 5000].filter((one) => one > 1))
      assert.ok(copyOf(stream, { step }).bytes.equals(bytes), `${step}`);
  });

  it('lays a source behind what the stream has, past the wrap of its times', (t) => {
    const dir = testFolder(t, 'ts-reader');
    // Twenty-six and a half hours less a second.
    const { bytes } = copyOf(made(dir, 'wrap', USUAL, `-output_ts_offset ${WRAP / 90_000 - 1}`));
    const times: number[] = [];
    for (let at = 0; at < bytes.length; at += PACKET_BYTES)
      if (pidOf(bytes, at) === PICTURE && startsUnit(bytes, at)) times.push(readPts(bytes, at)! - FIRST_TICKS);
    const shown = times.toSorted((a, b) => a - b);
    assert.ok(shown[0]! >= 0 && shown[0]! < 45_000, `${shown[0]}`);
    assert.deepEqual(
      shown.map((one) => one - shown[0]!),
      Array.from({ length: 50 }, (_, n) => n * 3600),
    );
  });

  const clocks = (...rows: [pid: number, ticks: number][]): (number | undefined)[] => {
    const times = new SourceTimes(rows[0]![1], FIRST_TICKS);
    return rows.map(([pid, ticks]) => {
      const placed = times.place(pid, { pts: ticks + 7200, dts: ticks });
      assert.ok(placed === undefined || placed.pts - placed.dts === 7200);
      return placed && placed.dts - FIRST_TICKS;
    });
  };

  it('goes on without a gap where the clock of a source begins anew, and keeps its tracks together', () => {
    const jump = (by: number): (number | undefined)[] => {
      const at = 3_000_000;
      const rows: [number, number][] = [
        [1, at],
        [2, at],
        [1, at + 3600],
        [1, at + 7200 + by],
        [2, at + 1920],
        [2, at + 5520 + by],
        [1, at + 10_800 + by],
      ];
      return clocks(...rows.map(([pid, ticks]): [number, number] => [pid, (ticks + WRAP) % WRAP]));
    };
    const steady = [0, 0, 3600, 7200, 1920, 5520, 10_800];
    for (const seconds of [-10, -3600, 15, 3600, 40_000])
      assert.deepEqual(jump(seconds * 90_000), steady, `${seconds} s`);
    // A pause of the encoder stays a pause.
    assert.deepEqual(jump(5 * 90_000), [0, 0, 3600, 457_200, 1920, 455_520, 460_800]);
  });

  it('times that stand still or go back a little go on by a tick, and what is older than the stream is left out', () => {
    assert.deepEqual(clocks([1, 9000], [1, 9000], [1, 8900], [2, 8000], [2, 9900], [1, 12_600]), [
      0,
      1,
      2,
      undefined,
      900,
      3600,
    ]);
  });

  it('finds packets behind bytes that are none, and tells longer ones', () => {
    const packets = Buffer.alloc(7 * PACKET_BYTES, 1);
    for (let at = 0; at < packets.length; at += PACKET_BYTES) packets[at] = 0x47;
    const strange = Buffer.from('4700470047', 'hex');
    const read = (...chunks: Buffer[]): number[] => {
      const sync = new PacketSync();
      const runs = chunks.flatMap((chunk) => sync.push(chunk));
      return [runs.reduce((sum, { length }) => sum + length, 0) / PACKET_BYTES, sync.skipped, sync.otherSize ?? 0];
    };
    assert.deepEqual(read(packets), [7, 0, 0]);
    assert.deepEqual(read(strange, packets, strange, packets), [14, 10, 0]);
    // The rest of a packet that was lost is none.
    assert.deepEqual(read(packets.subarray(0, 500), packets), [9, 124, 0]);
    const long = (size: number): Buffer => {
      const bytes = Buffer.alloc(6 * size, 1);
      for (let at = 4; at < bytes.length; at += size) bytes[at] = 0x47;
      return bytes;
    };
    assert.deepEqual([read(long(192))[2], read(long(204))[2]], [192, 204]);
  });
});
