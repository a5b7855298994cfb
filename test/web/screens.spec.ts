/** Which tiles of a saved wall are on the screen. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { screenOf } from '../../web/pages/on-air/saved/screens.ts';

it('a wall with more tiles than places turns from screen to screen, and from the last to the first, both ways', () => {
  const shown = (turned: number, layout = 4): string => {
    const { tiles, number, count } = screenOf(['a', 'b', 'c', 'd', 'e'], layout, turned);
    return `${tiles.join('')} ${number}/${count}`;
  };
  assert.deepEqual(
    [0, 1, 2, -1].map((turned) => shown(turned)),
    ['abcd 1/2', 'e 2/2', 'abcd 1/2', 'e 2/2'],
  );
  assert.equal(shown(3, 9), 'abcde 1/1');
  assert.deepEqual(screenOf([], 1, 7), { tiles: [], number: 1, count: 1 });
});
