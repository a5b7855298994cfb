/** Occurrences at once against the slots of Devices and groups. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { placesOf, type Bound, type Wanted } from '../../web/pages/scheduler/lines/capacity.ts';

const DEVICES = {
  slots: new Map([
    [1, { name: 'enc1', total: 2 }],
    [2, { name: 'enc2', total: 1 }],
    [3, { name: 'enc3', total: 1 }],
  ]),
  groups: [{ id: 7, name: 'Zurich', devices: [1, 2] }],
};
const at = (livestreamId: number, startMs: number, endMs: number, idEncoderGroup: number | null = null): Wanted => ({
  key: `${livestreamId} ${startMs}`,
  livestreamId,
  startMs,
  endMs,
  idEncoderGroup,
});
const bound = (...rows: [number, Bound][]): ReadonlyMap<number, Bound> => new Map(rows);
const shown = (wanted: Wanted[], of = bound(), devices = DEVICES) =>
  placesOf(wanted, of, devices).map(({ name, slots, peak, over }) => ({ name, slots, peak, over }));

describe('room for occurrences', () => {
  it('tells when more want a Device than it has slots, how many at most, and which', () => {
    const pinned = bound([1, { deviceId: 1 }], [2, { deviceId: 1 }], [3, { deviceId: 1 }]);
    assert.deepEqual(shown([at(1, 0, 40), at(2, 10, 30), at(3, 20, 50), at(1, 100, 110)], pinned), [
      { name: 'enc1', slots: 2, peak: 3, over: [{ startMs: 20, endMs: 30, count: 3, keys: ['1 0', '2 10', '3 20'] }] },
    ]);
    assert.deepEqual(shown([at(1, 0, 20), at(2, 0, 20), at(3, 20, 50)], pinned)[0]?.over, []);
  });

  it('a group also has those of its Devices, and the group of a Schedule goes before the Live stream’s place', () => {
    const pinned = bound([1, { deviceId: 1 }], [2, { idEncoderGroup: 7 }], [3, { deviceId: 3 }]);
    const rows = shown([at(1, 0, 10), at(2, 0, 10), at(3, 0, 10, 7), at(4, 0, 10, 7)], pinned);
    assert.deepEqual(
      rows.map(({ name, peak, slots }) => [name, peak, slots]),
      [
        ['enc1', 1, 2],
        ['Zurich', 4, 3],
      ],
    );
  });

  it('those that may run anywhere are counted with all others, a lone Device by its name', () => {
    const pinned = bound([1, { deviceId: 1 }]);
    const rows = shown([at(1, 0, 10), at(2, 0, 10)], pinned);
    assert.deepEqual(rows.at(-1), { name: undefined, slots: 4, peak: 2, over: [] });
    const lone = { slots: new Map([[1, { name: 'studio', total: 1 }]]), groups: [] };
    assert.deepEqual(shown([at(2, 0, 10), at(3, 5, 15)], bound(), lone), [
      { name: 'studio', slots: 1, peak: 2, over: [{ startMs: 5, endMs: 10, count: 2, keys: ['2 0', '3 5'] }] },
    ]);
  });
});
