import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { changesBetween, changesOfBreak } from '../../web/shell/state-changes.ts';

const state = (id: number, name: 'on-air' | 'failing' | 'starting') => ({
  id,
  name: `S${id}`,
  isOnAir: true,
  state: name,
});

describe('changes of states', () => {
  it('a new stream, a changed one and one that has gone are told, the others are not', () => {
    const before = [state(1, 'on-air'), state(2, 'starting'), state(3, 'on-air')];
    const after = [state(1, 'failing'), state(2, 'starting'), state(4, 'starting')];
    assert.deepEqual(changesBetween(before, after), [
      { id: 1, name: 'S1', state: 'failing' },
      { id: 4, name: 'S4', state: 'starting' },
      { id: 3, name: 'S3', state: 'off' },
    ]);
  });

  it('of a break in which nothing was heard, the faults that began in it are told, and nothing else', () => {
    const before = [state(1, 'on-air'), state(2, 'failing'), state(3, 'on-air'), state(5, 'starting')];
    const after = [state(1, 'failing'), state(2, 'failing'), state(4, 'failing'), state(5, 'on-air')];
    assert.deepEqual(
      changesOfBreak(before, after).map(({ id }) => id),
      [1, 4],
    );
  });
});
