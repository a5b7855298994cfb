/** The layout of time lines, and times of a Schedule's zone, over any input. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { dayStarts, hoursOf } from '../../web/pages/scheduler/data/days.ts';
import { seriesMove, seriesTimes } from '../../web/pages/scheduler/form/series-times.ts';
import { inZone, readWall, wallText } from '../../web/pages/scheduler/form/wall.ts';
import { inWeek } from '../../web/pages/scheduler/lines/week-choice.ts';
import { countsOver, inLayers, overlapping, roomIn, rowsInView } from '../../web/ui/timeline/layers.ts';

const spans = fc.array(
  fc
    .tuple(fc.integer({ min: 0, max: 500 }), fc.integer({ min: 1, max: 100 }))
    .map(([startMs, length]) => ({ startMs, endMs: startMs + length })),
  { maxLength: 60 },
);

describe('the layout of a time line', () => {
  it('no two overlap in a layer, none is lost, and there are as few layers as are on at once', () => {
    fc.assert(
      fc.property(spans, (items) => {
        const { placed, layers } = inLayers(items);
        assert.equal(placed.length, items.length);
        for (const { item, layer } of placed) {
          const others = placed
            .filter((other) => other.layer === layer && other.item !== item)
            .map((other) => other.item);
          assert.deepEqual(overlapping(item, others), []);
        }
        assert.equal(layers, Math.max(1, ...countsOver(items).map(({ count }) => count)));
      }),
      { seed: 1 },
    );
  });

  it('a bar has room for its name, a late one before it, and no two rooms of a layer overlap', () => {
    fc.assert(
      fc.property(spans, (items) => {
        const row = { startMs: 0, endMs: 600 };
        const { placed } = inLayers(items, (item) => roomIn(row, item, 80));
        for (const { item, layer, room } of placed) {
          assert.ok(room.endMs - room.startMs >= 80 && room.startMs >= 0 && room.endMs <= 600);
          assert.ok(room.startMs <= item.startMs && room.endMs >= Math.min(600, item.endMs));
          const others = placed.filter((other) => other.layer === layer && other.item !== item);
          assert.deepEqual(
            overlapping(
              room,
              others.map((other) => other.room),
            ),
            [],
          );
        }
      }),
      { seed: 1 },
    );
    const hours = [0, 3, 6, 23].map((at) => ({ startMs: at, endMs: at + 1 }));
    const day = { startMs: 0, endMs: 24 };
    assert.deepEqual(
      inLayers(hours, (item) => roomIn(day, item, 6)).placed.map(({ layer, room }) => [layer, room.startMs]),
      [
        [0, 0],
        [1, 3],
        [0, 6],
        [0, 17],
      ],
    );
  });

  it('rows out of view are as high as they would be', () => {
    const heights = Array.from({ length: 200 }, (_, index) => 30 + (index % 3) * 10);
    const { first, last, before, after } = rowsInView(heights, 3000, 800);
    const drawn = heights.slice(first, last + 1).reduce((sum, each) => sum + each, 0);
    assert.ok(last - first < 45);
    assert.equal(
      before + drawn + after,
      heights.reduce((sum, each) => sum + each, 0),
    );
  });
});

describe('the Live streams of the week', () => {
  it('are those that were chosen and are still there, twelve at most, and the first ones where none is', () => {
    const streams = Array.from({ length: 20 }, (_, id) => ({ id }));
    const ids = (chosen: number[] | undefined): number[] => inWeek(streams, chosen).map(({ id }) => id);
    assert.equal(ids(undefined).length, 12);
    assert.deepEqual(ids([19, 3, 99]), [3, 19]);
    assert.equal(ids([99]).length, 12);
  });
});

describe('times of a zone', () => {
  const zone = 'Europe/Zurich';

  it('a time that DST skips has no instant, one that it repeats has two', () => {
    assert.deepEqual(readWall('2027-03-28T02:30', zone), []);
    assert.equal(readWall('2027-10-31T02:30', zone)?.length, 2);
    assert.equal(readWall('2027-10-31T', zone), undefined);
    assert.equal(wallText('2027-03-28T01:30:00.000Z', zone), '2027-03-28T03:30');
  });

  it('another zone keeps the clock on the wall', () => {
    assert.equal(inZone('2027-07-01T18:00:00.000Z', zone, 'America/New_York'), '2027-07-02T00:00:00.000Z');
  });

  it('days are as long as DST makes them', () => {
    const starts = dayStarts(Date.parse('2027-03-27T12:00:00Z'), zone, 3);
    const hours = starts.slice(1).map((end, index) => (end - starts[index]!) / 3_600_000);
    assert.deepEqual(hours, [24, 23, 24]);
  });

  it('the hours of a day are those of the clock on the wall, without one that DST skips', () => {
    const [short = 0] = dayStarts(Date.parse('2027-03-28T12:00:00Z'), zone, 1);
    const shown = hoursOf(short, zone, 1);
    assert.deepEqual(
      shown.slice(0, 3).map(({ hour, at }) => [hour, (at - short) / 3_600_000]),
      [
        [1, 1],
        [3, 2],
        [4, 3],
      ],
    );
    assert.deepEqual(
      hoursOf(short, zone, 6).map(({ hour }) => hour),
      [6, 12, 18],
    );
  });

  it('a series is moved by as much on the wall clock as one of it, across a change of DST', () => {
    const series = { start: '2027-03-20T18:00:00.000Z', end: '2027-03-20T19:00:00.000Z', timezone: zone };
    const one = { start: '2027-04-03T17:00:00.000Z', end: '2027-04-03T18:00:00.000Z' };
    const times = { start: '2027-04-03T17:30:00.000Z', end: '2027-04-03T18:30:00.000Z' };
    assert.deepEqual(seriesTimes(series, one, times), {
      start: '2027-03-20T18:30:00.000Z',
      end: '2027-03-20T19:30:00.000Z',
    });
  });

  it('a series that has begun keeps what comes before the one that is moved', () => {
    const series = { start: '2027-03-20T18:00:00.000Z', end: '2027-03-20T19:00:00.000Z' };
    const one = { start: '2027-04-03T17:00:00.000Z', end: '2027-04-03T18:00:00.000Z' };
    const begun = Date.parse('2027-03-30T00:00:00Z');
    assert.equal(seriesMove(series, one, ['2027-04-02T17:00:00.000Z'], begun), 'split');
    assert.equal(seriesMove(series, one, [], begun), 'onward');
    assert.equal(seriesMove(series, one, ['2027-04-02T17:00:00.000Z'], Date.parse('2027-03-01T00:00:00Z')), 'whole');
  });
});
