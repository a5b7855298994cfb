/** JSON read value by value, wherever the pieces of the text end: as JSON.parse reads the whole. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { JsonCursor } from '../../store/document/json-cursor.ts';

/** The text in pieces of changing length, one character at the least. */
function* cut(text: string, lengths: readonly number[]): Generator<string> {
  for (let at = 0, turn = 0; at < text.length; turn += 1) {
    const length = lengths[turn % lengths.length] ?? text.length;
    yield text.slice(at, at + length);
    at += length;
  }
}

/** An object of lists as far as it is one, else the value that is there. */
async function read(pieces: Iterable<string>): Promise<unknown> {
  const cursor = new JsonCursor(pieces);
  const answer = await readNext(cursor);
  await cursor.end();
  return answer;
}

async function readNext(cursor: JsonCursor): Promise<unknown> {
  if (await cursor.isList()) {
    const items: unknown[] = [];
    for await (const item of cursor.items()) items.push(item);
    return items;
  }
  if (!(await cursor.isObject())) return cursor.value();
  const fields: [string, unknown][] = [];
  for await (const name of cursor.names()) fields.push([name, await readNext(cursor)]);
  return Object.fromEntries(fields);
}

describe('a JSON text', () => {
  it('a JSON text is read as JSON.parse does, however it is cut and laid out', async () => {
    const lengths = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 });
    const layout = fc.constantFrom(0, 1, '\r\n\t ');
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 6 }), lengths, layout, async (value, some, space) => {
        const text = JSON.stringify(value, null, space);
        assert.deepEqual(await read(cut(text, some)), JSON.parse(text));
        assert.deepEqual(await read([text]), JSON.parse(text));
      }),
      { numRuns: 500, seed: 1 },
    );
  });

  it('a JSON text that is none is refused, and never read as another', async () => {
    const lengths = fc.integer({ min: 1, max: 9 });
    const parsed = (text: string): unknown => {
      try {
        return [JSON.parse(text)];
      } catch {
        return 'refused';
      }
    };
    const spoilt = fc
      .tuple(
        fc.jsonValue({ maxDepth: 4 }),
        fc.nat(),
        fc.constantFrom('', '{', '}', '[', ']', ',', ':', '"', '\\', '1', ' '),
      )
      .map(([value, place, character]) => {
        const text = JSON.stringify(value);
        const at = place % (text.length + 1);
        return text.slice(0, at) + character + text.slice(at + 1);
      });
    await fc.assert(
      fc.asyncProperty(spoilt, lengths, async (text, length) => {
        const found = await read(cut(text, [length])).then(
          (value) => [value],
          (error: unknown) => (error instanceof SyntaxError ? 'refused' : error),
        );
        assert.deepEqual(found, parsed(text));
      }),
      { numRuns: 1_000, seed: 1 },
    );
  });
});
