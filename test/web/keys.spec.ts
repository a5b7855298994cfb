import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ariaKeys, keyNames } from '../../web/ui/registry/key-names.ts';

const press = (key: string, code = '', more: object = {}) =>
  keyNames({ key, code, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...more });

describe('names of keys', () => {
  it('a letter has one name whatever its case, and Shift is part of it', () => {
    assert.deepEqual(press('b', 'KeyB'), ['B']);
    assert.deepEqual(press('L', 'KeyL', { shiftKey: true }), ['Shift L']);
  });

  it('a layout without Latin letters has them at their places', () => {
    assert.deepEqual(press('и', 'KeyB'), ['B']);
  });

  it('a sign that needs Shift is known by itself, and as a digit with Shift', () => {
    assert.deepEqual(press('/', 'Digit7', { shiftKey: true }), ['/', 'Shift 7']);
    assert.deepEqual(press('?', 'Slash', { shiftKey: true }), ['?']);
  });

  it('Ctrl and Command are one, and Alt belongs to the browser', () => {
    assert.deepEqual(press('k', 'KeyK', { ctrlKey: true }), ['Ctrl K']);
    assert.deepEqual(press('k', 'KeyK', { metaKey: true }), ['Ctrl K']);
    assert.deepEqual(press('b', 'KeyB', { altKey: true }), []);
  });

  it('aria-keyshortcuts has plus signs, and nothing for two keys one after the other', () => {
    assert.deepEqual([ariaKeys('Shift L'), ariaKeys('Ctrl K'), ariaKeys('g o')], ['Shift+L', 'Control+K', undefined]);
  });
});
