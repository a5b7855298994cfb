/** When a store has gone back, and when it has not: who was told of it keeps a mark, and the eras of the store lead to it or do not. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  eraBehind,
  parseMark,
  seal,
  unseal,
  type StoreEra,
  type StoreMark,
} from '../../domain/shapes/installation/store-era.ts';

const at = (minute: number): string => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();
/** Era `id` began in that minute, when `events` was the next id of events; each change adds an event a minute. */
const era = (id: number, minute: number, events: number, name = `era ${id}`): StoreEra => ({
  id,
  created_at: at(minute),
  era: name,
  next: { events, audit: 1 },
  restored: null,
  waiting: false,
});
const mark = (eraId: number, minute: number, events: number, name = `era ${eraId}`): StoreMark => ({
  at: at(minute),
  eraId,
  era: name,
  next: { events, audit: 1 },
});

/** The server of era 3 began in minute 30, with event 300 as the next; or with event 205, in a copy of minute 20. */
const ERAS = [era(1, 10, 100), era(2, 20, 200), era(3, 30, 300)];
const COPY = [era(1, 10, 100), era(2, 20, 200), era(3, 30, 205)];
/** [what happened, the mark, the eras, the next event of the store now, whether era 3 is behind a restore] */
const CASES: readonly [string, StoreMark, readonly StoreEra[], number, boolean][] = [
  ['a restart after a crash: all that was told is on disk', mark(2, 29, 300), ERAS, 300, false],
  ['a Device that was away for two restarts', mark(1, 15, 150), ERAS, 320, false],
  ['a Device that hears nothing new', mark(3, 31, 310), ERAS, 310, false],
  ['a mark of the first moment of an era', mark(3, 30, 300), ERAS, 300, false],
  ['a Device that was away since before the copy was made', mark(1, 15, 150), COPY, 205, false],
  ['a copy was put back that lacks what was told', mark(2, 29, 290), COPY, 205, true],
  ['… and it has written more since than it had lost', mark(2, 29, 290), COPY, 5000, true],
  ['… and what was lost was said in an era that is gone as well', mark(3, 28, 280, 'lost'), COPY, 5000, true],
  ['the eras that were lost were many', mark(9, 29, 290, 'lost'), COPY, 5000, true],
  ['the database went back under a server that runs', mark(3, 35, 350), ERAS, 340, true],
  ['an era that nobody remembers any more', mark(0, 5, 50), ERAS, 300, false],
];

describe('a store that went back', () => {
  for (const [title, kept, eras, events, isNoticed] of CASES)
    it(`${isNoticed ? 'is noticed' : 'is not taken for one'}: ${title}`, () => {
      assert.equal(eraBehind(kept, eras, { events, audit: 1 })?.id, isNoticed ? 3 : undefined);
    });

  it('is noticed by the audit alone too: a revoked token adds no event', () => {
    const kept = { ...mark(3, 35, 300), next: { events: 300, audit: 7 } };
    assert.equal(eraBehind(kept, ERAS, { events: 300, audit: 6 })?.id, 3);
  });

  it('is not noticed without eras, as in a store of an earlier version', () => {
    assert.equal(eraBehind(mark(3, 35, 350), [], { events: 1, audit: 1 }), undefined);
  });

  it('a Device cannot make a mark: what was not sealed with the key of the store is none', () => {
    const kept = mark(3, 35, 350);
    const sealed = seal('key', kept);
    assert.deepEqual(parseMark(unseal('key', sealed)), kept);
    const forged = seal('other key', mark(3, 35, 9999));
    const parts = [sealed.split('.')[0]!, forged.split('.')[0]!];
    for (const wrong of [forged, `${parts[1]}.${sealed.split('.')[1]}`, parts[0], '', undefined, 7, null, {}, '.'])
      assert.equal(unseal('key', wrong), undefined, String(wrong));
    for (const wrong of [null, 5, {}, { ...kept, next: { events: -1 } }, { ...kept, eraId: 'x' }])
      assert.equal(parseMark(wrong), undefined);
  });
});
