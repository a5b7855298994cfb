/** Fragmented MP4 as it comes out of the packagers: what is copied from a source is in it. */
import assert from 'node:assert/strict';
import { completedInit } from '../../../device/media/fmp4/aac-config.ts';
import { boxesIn, BoxSplitter } from '../../../device/media/fmp4/fmp4-box.ts';
import { joinFragments } from '../../../device/media/fmp4/fmp4-join.ts';
import { mergedInit } from '../../../device/media/fmp4/fmp4-merge.ts';
import { Fmp4Parser } from '../../../device/media/fmp4/fmp4-parser.ts';
import { pieces, refusing, type FuzzTarget } from '../target.ts';

export const target: FuzzTarget = {
  seeds: [],
  run(bytes) {
    const rest = bytes.subarray(1);
    refusing([RangeError], () => [...boxesIn(rest)]);
    refusing([RangeError], () => completedInit(rest));
    const rule = bytes[0] ?? 0;
    const splitter = new BoxSplitter();
    const boxes = refusing([RangeError], () => pieces(rest, rule).flatMap((part) => splitter.push(part)));
    assert.ok((boxes ?? []).reduce((sum, box) => sum + box.bytes.length, 0) <= rest.length);
    const parser = new Fmp4Parser(10);
    refusing([RangeError], () => {
      for (const part of pieces(rest, rule))
        for (const { init, fragment } of parser.push(part)) {
          if (init !== undefined) mergedInit([init, init]);
          if (fragment === undefined) continue;
          assert.ok(fragment.data.length <= rest.length);
          assert.ok(joinFragments([fragment], 1).length <= 1024 + fragment.data.length + 16 * fragment.samples.length);
        }
    });
  },
};
