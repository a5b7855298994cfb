/** Text as operations take it in: lengths by character, no halves of characters, no control characters. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { toProblem } from '../../domain/base/errors.ts';
import { toJsonSchema } from '../../toolkit/input/json-schema.ts';
import { addUser } from '../../tools/addUser.ts';
import { fieldsOf } from '../app/calls.ts';
import { type TestApp, startTestApp } from '../app/test-app.ts';

const EMOJI = '🎬';
const USER = { username: 'robin', first_name: 'Robin', last_name: 'Rose', email: 'r@example.org', user_role: 2 };

describe('the length of a text', () => {
  let app: TestApp;
  beforeEach(async () => void (app = await startTestApp()));
  afterEach(() => app.close());

  it('the length of a text is its number of characters, as the limits of the specification are', async () => {
    const fits: readonly (readonly [string, string, number])[] = [
      ['addEncoding', 'name', 100],
      ['addEncoding', 'description', 255],
      ['createApiToken', 'name', 100],
      ['addUser', 'username', 30],
      ['addUser', 'first_name', 30],
      ['addUser', 'last_name', 30],
    ];
    let count = 0;
    for (const [operation, field, most] of fits) {
      count += 1;
      const base = operation === 'addUser' ? { ...USER, username: `robin${count}` } : { name: `thing ${count}` };
      const row = await app.data(operation, { ...base, [field]: EMOJI.repeat(most) });
      assert.equal(row[field], EMOJI.repeat(most), `${operation} ${field}`);
      const refused = await app.refused('invalid_input', operation, { ...base, [field]: EMOJI.repeat(most + 1) });
      const [issue] = refused.extras.errors ?? [];
      assert.deepEqual([issue?.field, issue?.code, issue?.['max']], [field, 'too_long', most], operation);
    }
  });

  it('the length of a text is limited as the description of the interface says', () => {
    const { properties } = toJsonSchema(addUser.input) as { properties: Record<string, { maxLength?: number }> };
    assert.deepEqual(
      ['username', 'first_name', 'last_name', 'email'].map((name) => properties[name]?.maxLength),
      [30, 30, 30, 75],
    );
  });
});

describe('invalid text', () => {
  let app: TestApp;
  beforeEach(async () => void (app = await startTestApp()));
  afterEach(() => app.close());

  it('invalid text is refused in every field, and what was stored stays', async () => {
    const { id } = await app.data('addEncoding', { name: 'Ladder' });
    for (const [field, text] of [
      ['name', 'x\ud800'],
      ['name', 'x\u0000'],
      ['description', 'x\udfff'],
      ['description', 'a\u0000b'],
      ['description', 'a\u001bb'],
      ['description', 'a\u0085b'],
    ] as const) {
      const refused = await app.refused('invalid_input', 'updateEncoding', { encodingId: id, [field]: text });
      assert.deepEqual(fieldsOf(refused), [field], JSON.stringify(text));
    }
    assert.equal((await app.data('getEncodingById', { encodingId: id }))['name'], 'Ladder');
  });

  it('invalid text is named by its path where it is nested, and more than one at once', async () => {
    const settings = { url: 'rtmp://target.example/live', stream_key: 'a\nb', username: '\ud83d' };
    const refused = await app.refused('invalid_input', 'addPublishing', { name: 'Out', type: 'RTMP', settings });
    assert.deepEqual(fieldsOf(refused), ['settings.stream_key', 'settings.username']);
  });

  it('an invalid field name is not repeated in the answer that refuses it, nor in the audit', async () => {
    const args = { name: 'key', '\ud800': 1, [`${'x'.repeat(63)}\u{1f600}`]: 2 };
    const refused = await app.refused('invalid_input', 'addEncoding', args);
    const problem = JSON.stringify(toProblem(refused, 'r'));
    const audited = JSON.stringify((await app.store.find('audit', {})).rows);
    for (const text of [problem, audited]) {
      assert.ok(text.includes('\ufffd'), text);
      assert.ok(!/\\ud[89a-f]/iu.test(text), 'JSON escapes what UTF-8 cannot carry');
    }
  });

  it('invalid text is refused in a search and in a text over the picture too', async () => {
    await app.refused('invalid_input', 'getAllChannels', { search: 'a\ud800' });
    const overlay = { text: 'Goal\u0007', position: 'Top' };
    const refused = await app.refused('invalid_input', 'addLivestream', { name: 'Show', channelId: 1, overlay });
    assert.deepEqual(fieldsOf(refused), ['overlay.text']);
  });

  it('text that people write keeps its lines and tabs, and whole characters of any script', async () => {
    const description = 'First line\nsecond\tcolumn\r\n日本語 🎥 ‏עברית';
    assert.equal((await app.data('addEncoding', { name: 'Ladder', description }))['description'], description);
    await app.refused('invalid_input', 'addEncoding', { name: 'two\nlines' });
  });
});
