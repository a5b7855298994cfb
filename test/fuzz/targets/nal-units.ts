/** Parameter sets and slice headers of H.264 and HEVC: how far they reach is read before a picture is encrypted. */
import assert from 'node:assert/strict';
import { AvcSlices } from '../../../device/media/codecs/avc-slice.ts';
import { avcFacts, hevcFacts } from '../../../device/media/codecs/codec-string.ts';
import { nalUnits } from '../../../device/media/codecs/annex-b.ts';
import { avcConfiguration, splitAvc } from '../../../device/media/codecs/avc-configuration.ts';
import { hevcConfiguration, splitHevc } from '../../../device/media/codecs/hevc-configuration.ts';
import { HevcSlices } from '../../../device/media/codecs/hevc-slice.ts';
import { subsamplesOf, type SliceReader } from '../../../device/media/codecs/sample-map.ts';
import { refusing, type FuzzTarget } from '../target.ts';

export const target: FuzzTarget = {
  seeds: [],
  /** One byte which codec, two bytes how long the configuration is, the configuration, a sample. */
  run(bytes) {
    refusing([RangeError], () => avcFacts(bytes));
    refusing([RangeError], () => hevcFacts(bytes));
    for (const nal of nalUnits(bytes)) assert.ok(nal.length <= bytes.length);
    const { sets } = splitHevc(bytes);
    if (sets !== undefined) refusing([RangeError], () => hevcConfiguration(sets));
    const avc = splitAvc(bytes);
    assert.ok(avc.sample.length <= 2 * bytes.length);
    if (avc.sets !== undefined) refusing([RangeError], () => avcConfiguration(avc.sets!));
    if (bytes.length < 3) return;
    const end = 3 + bytes.readUInt16BE(1);
    const [configuration, sample] = [bytes.subarray(3, end), bytes.subarray(end)];
    const slices = refusing([RangeError], (): SliceReader =>
      (bytes[0]! & 1) === 0 ? new AvcSlices(configuration) : new HevcSlices(configuration),
    );
    if (slices === undefined) return;
    for (const scheme of ['cenc', 'cbcs'] as const) assert.ok(isMapped(sample, slices, scheme));
  },
};

/** Every byte of a sample that is not refused is either clear or encrypted. */
function isMapped(sample: Buffer, slices: SliceReader, scheme: 'cenc' | 'cbcs'): boolean {
  const map = refusing([RangeError], () => subsamplesOf(sample, slices, scheme));
  return map === undefined || map.reduce((sum, { clear, cipher }) => sum + clear + cipher, 0) === sample.length;
}
