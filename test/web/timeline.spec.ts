/** The layout of a time line, for any items. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { layersOf, loadOf, overlaps, rowsInView, shareOf, snapped } from '../../web/ui/timeline/layout.ts';

const spans = fc
  .array(fc.record({ start: fc.integer({ min: 0, max: 500 }), length: fc.integer({ min: 1, max: 120 }) }), {
    maxLength: 40,
  })
  .map((all) => all.map(({ start, length }, place) => ({ id: String(place), start, end: start + length })));

describe('the layout of a time line', () => {
  it('no two items overlap in a layer, each has one, and there are as many layers as items at once', () => {
    fc.assert(
      fc.property(spans, (items) => {
        const { at, count } = layersOf(items);
        assert.equal(at.size, items.length);
        for (const item of items) {
          const layer = items.filter(({ id }) => at.get(id) === at.get(item.id));
          assert.equal(overlaps(item, layer, item.id), undefined);
        }
        assert.equal(count, Math.max(1, ...loadOf(items, 0, 700, 1)));
      }),
    );
  });

  it('items that touch share a layer', () => {
    const items = [
      { id: 'a', start: 0, end: 10 },
      { id: 'b', start: 10, end: 20 },
    ];
    assert.equal(layersOf(items).count, 1);
  });

  it('a span is cut at the edges of the window', () => {
    assert.deepEqual(shareOf({ start: -50, end: 50 }, 0, 100), { left: 0, width: 0.5 });
    assert.deepEqual(shareOf({ start: 200, end: 300 }, 0, 100), { left: 1, width: 0 });
  });

  it('the rows to draw are those that the view touches, for any heights and any place', () => {
    const heights = fc.array(fc.integer({ min: 20, max: 90 }), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(heights, fc.nat(3000), fc.integer({ min: 50, max: 900 }), (each, top, height) => {
        const tops = each.reduce((sums, next) => [...sums, sums.at(-1)! + next], [0]);
        const { first, last } = rowsInView(tops, top, height);
        for (let row = 0; row < each.length; row += 1)
          if (tops[row + 1]! > top && tops[row]! < top + height) assert.ok(first <= row && row < last);
        assert.ok(last - first <= height / 20 + 4);
      }),
    );
  });

  it('the load of a part is the most at once in it, and not all that fall into it', () => {
    const items = [
      { start: 0, end: 10 },
      { start: 10, end: 20 },
      { start: 15, end: 40 },
    ];
    assert.deepEqual(loadOf(items, 0, 40, 2), [2, 1]);
  });

  it('instants go to the nearest of the grid', () => {
    assert.equal(snapped(8 * 60_000, 15), 15 * 60_000);
    assert.equal(snapped(7 * 60_000, 15), 0);
    assert.equal(snapped(7 * 60_000 + 29_000, 1), 7 * 60_000);
  });
});
