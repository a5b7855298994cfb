import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findCommands } from '../../web/ui/registry/find-commands.ts';

const commands = ['On air', 'Stop Morning', 'Morning show', 'Café stop'].map((name) => ({
  id: name,
  name,
  run: () => undefined,
}));
const find = (search: string): string[] => findCommands(commands, search).map(({ name }) => name);

describe('the search of the palette', () => {
  it('nothing typed finds all in their order', () => {
    assert.deepEqual(find(''), ['On air', 'Stop Morning', 'Morning show', 'Café stop']);
  });

  it('what begins with the words comes first, and the words may come in any order', () => {
    assert.deepEqual(find('morning'), ['Morning show', 'Stop Morning']);
    assert.deepEqual(find('mor sto'), ['Stop Morning']);
  });

  it('accents need not be typed', () => {
    assert.deepEqual(find('cafe'), ['Café stop']);
  });
});
