/** Segments of a source by HLS, in each of their forms, up to the transport stream that is made of them. */
import assert from 'node:assert/strict';
import { SegmentReader } from '../../../device/media/hls/segment-media.ts';
import { startOf } from '../../../device/media/hls/units.ts';
import { NotRead } from '../../../device/media/units/track.ts';
import { refusing, type FuzzTarget } from '../target.ts';
import { mended } from '../transport.ts';

export const target: FuzzTarget = {
  seeds: [],
  run(bytes) {
    // Damage of tables is refused by their checksum: with right ones the readers behind them are reached.
    for (const whole of [bytes, mended(bytes)]) {
      const media = refusing([RangeError, NotRead], () => new SegmentReader().read(whole, undefined, 6));
      if (media === undefined) continue;
      const start = startOf(media);
      assert.ok(start === undefined || Number.isFinite(start));
      const size = media.units.reduce((sum, { data }) => sum + data.length, 0);
      // Parameter sets before each keyframe, and a header before each unit of sound.
      assert.ok(size <= 4096 + 70 * whole.length, `${size} bytes of ${whole.length}`);
    }
  },
};
