/** Tables, their colours, and the other forms of an answer. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { documentText } from '../../bin/output/format.ts';
import { paint, screenOf } from '../../bin/output/screen.ts';
import { widthOf } from '../../bin/output/cells.ts';
import { cutPainted, table } from '../../bin/output/table.ts';
import { AppError } from '../../domain/base/errors.ts';

const PIPE = { width: undefined, hasColours: false };

describe('a table', () => {
  const rows = [
    ['1', 'A name that is much longer than there is room for', { text: 'ON AIR', tone: 'good' as const }],
    ['22', 'Short', { text: 'off', tone: 'faint' as const }],
  ];
  const head = ['ID', 'NAME', 'STATUS'];

  it('keeps its texts whole in a pipe, and has no colours there', () => {
    const lines = table(head, rows, PIPE).split('\n');
    assert.equal(lines[1], '1   A name that is much longer than there is room for  ON AIR');
    assert.equal(lines[2], `22  Short${' '.repeat(46)}off`);
  });

  it('gives way on a terminal where it is too wide, the widest column first', () => {
    const lines = table(head, rows, { width: 30, hasColours: false }).split('\n');
    assert.equal(lines[1], '1   A name that is mu…  ON AIR');
    for (const line of lines) assert.ok([...line].length <= 30, line);
  });

  it('counts cells and not letters: two for CJK and emoji, none for a mark that combines', () => {
    const names = ['礼拝', 'Cafe\u0301', '👩‍👩‍👧', '🇨🇭 ☀️', 'é', 'ﾊﾟ'];
    assert.deepEqual(names.map(widthOf), [4, 4, 2, 5, 1, 2]);
    const shown = table(
      ['NAME', 'TYPE'],
      names.map((name) => [name, 'x']),
      PIPE,
    );
    for (const line of shown.split('\n').slice(1)) assert.equal(widthOf(line), 8, line);
    const narrow = table(['NAME', 'ID'], [['礼拝堂のカメラ一号機', '1']], { width: 12, hasColours: false });
    assert.equal(narrow.split('\n')[1], '礼拝堂…   1');
  });

  it('puts text of others on one line, whatever control characters it holds', () => {
    assert.equal(table(['NAME'], [['a\n\x1b[2Jb']], PIPE), 'NAME\na [2Jb');
  });

  it('colours by meaning on a terminal, unless NO_COLOR is set or the terminal has none', () => {
    const terminal = { isTTY: true as const, columns: 90 };
    assert.deepEqual(screenOf(terminal, {}), { width: 90, hasColours: true });
    assert.equal(screenOf(terminal, { NO_COLOR: '1' }).hasColours, false);
    assert.equal(screenOf(terminal, { TERM: 'dumb' }).hasColours, false);
    assert.deepEqual(screenOf({ isTTY: false as never, columns: 90 }, {}), PIPE);
    assert.equal(paint('ON AIR', 'good', { hasColours: true }), '\x1b[32mON AIR\x1b[39m');
  });
});

it('a painted line is cut by what is seen of it', () => {
  assert.equal(cutPainted('\x1b[32mON AIR\x1b[39m for long', 20), '\x1b[32mON AIR\x1b[39m for long');
  assert.equal(cutPainted('\x1b[32mON AIR\x1b[39m for long', 5), '\x1b[32mON A\x1b[39m…');
  assert.equal(cutPainted('\x1b[32m礼拝\x1b[39mx', 4), '\x1b[32m礼\x1b[39m…');
});

describe('the other forms of an answer', () => {
  const rows = [
    { id: 1, name: 'yes', note: null },
    { id: 2, name: 'Café: "a"', note: 'x\ny' },
  ];

  it('are an array of the rows, with the fields that are named and in their order', async () => {
    assert.deepEqual(JSON.parse(await documentText(rows, { output: 'json' })), rows);
    assert.equal(
      await documentText(rows, { json: 'name, id' }, true),
      '[{"name":"yes","id":1},{"name":"Café: \\"a\\"","id":2}]',
    );
    assert.equal(await documentText({ id: 1, name: 'x' }, { json: 'name' }, true), '{"name":"x"}');
  });

  it('as YAML keep a text a text', async () => {
    assert.match(await documentText(rows, { output: 'yaml' }), /^- id: 1\n {2}name: "yes"\n {2}note: null\n/u);
  });

  it('refuse a field that no row has, and name those that there are', async () => {
    await assert.rejects(documentText(rows, { json: 'name,nmae' }), (error) => {
      assert.ok(error instanceof AppError);
      return /--json: has no nmae; the fields are id, name, note/u.test(error.message);
    });
    assert.equal(await documentText([], { json: 'anything' }), '[]');
  });
});
