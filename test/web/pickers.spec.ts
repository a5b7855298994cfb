/** Text that is typed into a picker and not chosen. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chosenBy } from '../../web/ui/combobox/chosen-by.ts';

const option = (label: string, disabled = false) => ({ value: label, label, disabled });

describe('text that nobody chose in a picker', () => {
  it('takes the one option of this whole name, in capitals or not', () => {
    assert.deepEqual(chosenBy(' cam 1 ', [option('Cam 1'), option('Cam 10')]), option('Cam 1'));
  });

  it('a part of a name, an option that cannot be chosen, and a name that two have take none', () => {
    assert.equal(chosenBy('cam', [option('Cam 1')]), 'absent');
    assert.equal(chosenBy('cam 1', [option('Cam 1', true)]), 'absent');
    assert.equal(chosenBy('cam 1', [option('Cam 1'), option('CAM 1')]), 'several');
  });
});
