/** Cue messages: never an exception, and what was understood is written as it was read. */
import assert from 'node:assert/strict';
import { breakIn, breakOut, cueBytes } from '../../../device/media/scte35/cue-message.ts';
import { breakCancel, heartbeat, segmentationCue } from '../../helpers/cue-messages.ts';
import { decodeSplice, encodeSplice, shiftSplice, spliceTicks } from '../../../device/media/scte35/scte35.ts';
import { refusing, type FuzzTarget } from '../target.ts';
import { mendSection } from '../transport.ts';

export const target: FuzzTarget = {
  seeds: [
    heartbeat(),
    ...[
      breakOut({ eventId: 7, ticks: 900_000, durationTicks: 2_700_000 }),
      breakIn({ eventId: 7, ticks: undefined }),
      breakCancel(7),
      segmentationCue({ eventId: 9, ticks: 90_000, typeId: 0x34, durationTicks: 90_000 }),
    ].map(encodeSplice),
    // Components, with a time each.
    Buffer.from('fc302500000000000000fff01405000000017fbfffff02010000fe0000000000010000000000000000', 'hex'),
    Buffer.from('/DAgAAAAAAAAAP/wDwUAAAABf0/+AAAAAAABAAAAAAAA'),
  ],
  run(bytes) {
    check(bytes);
    const whole = Buffer.from(bytes);
    mendSection(whole);
    check(whole);
    const text = bytes.toString('latin1');
    const given = cueBytes(text);
    if (given !== undefined) check(given);
  },
};

function check(section: Buffer): void {
  const { info } = decodeSplice(section);
  const shifted = shiftSplice(section, 90_000);
  if (shifted !== undefined) assert.ok(shifted.length <= section.length);
  if (info === undefined) return;
  const ticks = spliceTicks(info);
  assert.ok(ticks === undefined || (ticks >= 0 && ticks < 2 ** 33));
  const written = refusing([RangeError], () => encodeSplice(info));
  if (written !== undefined) assert.deepEqual(decodeSplice(written).info, info);
  const back = shiftSplice(shifted!, -90_000);
  assert.deepEqual(decodeSplice(back!).info, info);
}
