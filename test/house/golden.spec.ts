/** A change of what callers see of a tool is never an accident: the golden file changes with it, and says what changed. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { z } from 'zod/v3';
import { changedLines, definitionTexts, schemaLines } from '../../scripts/docs-golden.ts';
import { toJsonSchema, type JsonSchema } from '../../toolkit/input/json-schema.ts';
import type { Tool } from '../../toolkit/tool.ts';
import { operations } from '../../tools/index.ts';
import { workflows } from '../../workflows/index.ts';
import { ROOT } from './sources.ts';

const FOLDER = join(ROOT, 'test/golden');
const MAX_LINES = 5710;
const tools = [...operations, ...workflows];

type Path = readonly (string | number)[];

/** Paths to every value within a schema; of its fields, only those to the fields themselves. */
function pathsIn(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const at = [...path, Array.isArray(value) ? Number(key) : key];
    return path.at(-1) === 'properties' ? [at] : [at, ...pathsIn(inner, at)];
  });
}

/** A schema, and those of its fields at any depth. */
function schemasIn(node: unknown): JsonSchema[] {
  if (typeof node !== 'object' || node === null) return [];
  const { properties = {}, ...rest } = node as JsonSchema;
  return [node as JsonSchema, ...Object.values(properties as object).flatMap(schemasIn), ...schemasWithin(rest)];
}

/** Items and branches have fields too. */
function schemasWithin({ items, additionalProperties, anyOf = [], allOf = [] }: JsonSchema): JsonSchema[] {
  return [items, additionalProperties, ...(anyOf as unknown[]), ...(allOf as unknown[])].flatMap(schemasIn);
}

/** A copy in which one value is another; undefined takes it away. The order of the keys stays. */
function withValue(node: unknown, [key, ...rest]: Path, change: (value: unknown) => unknown): unknown {
  if (key === undefined) return change(node);
  const copy = Object.entries(node as object).flatMap(([name, value]: [string, unknown]) => {
    const next = name === String(key) ? withValue(value, rest, change) : value;
    return next === undefined ? [] : [[name, next] as const];
  });
  return Array.isArray(node) ? copy.map(([, value]) => value) : Object.fromEntries(copy);
}

function isLeaf(value: unknown): boolean {
  return typeof value !== 'object' || value === null || (Array.isArray(value) && value.length === 0);
}

/** Another value than the leaf, of the same kind. */
function altered(value: unknown): unknown {
  if (Array.isArray(value)) return ['x'];
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'boolean') return !value;
  return `${String(value)}x`;
}

/** Undefined where the schema is refused. */
function textOf(schema: unknown): string | undefined {
  try {
    return schemaLines('input', schema as JsonSchema).join('\n');
  } catch {
    return undefined;
  }
}

/** A type, or a list of required fields, that is no longer true of its schema is refused; nothing else is. */
const REFUSED = new Set(['type', 'required']);

describe('golden definitions', () => {
  const texts = definitionTexts(tools);

  it('golden definitions exist for every tool and nothing else', () => {
    assert.deepEqual(readdirSync(FOLDER).sort(), tools.map((tool) => `${tool.name}.txt`).sort(), 'run npm run gen');
  });

  for (const tool of tools) {
    it(`the golden definition of ${tool.name} is the definition of the tool`, () => {
      const changed = changedLines(readFileSync(join(FOLDER, `${tool.name}.txt`), 'utf8'), texts.get(tool.name)!);
      const message = `${tool.name} has changed for its callers; if that is meant, run npm run gen:`;
      assert.ok(changed.length === 0, [message, ...changed].join('\n'));
    });
  }

  it('golden definitions are short enough to be read', () => {
    const lines = readdirSync(FOLDER).map(
      (file) => readFileSync(join(FOLDER, file), 'utf8').trimEnd().split('\n').length,
    );
    const sum = lines.reduce((total, count) => total + count, 0);
    assert.ok(sum <= MAX_LINES, `test/golden has ${sum} lines; at most ${MAX_LINES}`);
  });

  it('an answer of several tools is written once, and written out for the one of them that answers something else', () => {
    const [logo, text] = ['runtimeApplyLogo', 'setLivestreamText'].map((name) =>
      tools.find((tool) => tool.name === name)!,
    );
    const of = (second: Tool): string | undefined => definitionTexts([second, logo!]).get(second.name);
    assert.match(of(text!)!, /^output  as of runtimeApplyLogo$/mu);
    const other = z.object({ data: z.number() }).strict();
    assert.match(of({ ...text!, output: other })!, /^output\.data  required number$/mu);
  });

  it('a changed golden definition names the lines that went and came', () => {
    assert.deepEqual(changedLines('a 1\nb 1\nc 1', 'a 1\nb 2\nc 1\nd 1'), ['- b 1', '+ b 2', '+ d 1']);
    assert.deepEqual(changedLines('a 1\nb 1', 'b 1\na 1'), ['order of lines, from: b 1']);
    assert.deepEqual(changedLines('a 1\nb 1', 'a 1\nb 1'), []);
  });
});

describe('the text of a definition', () => {
  const all = tools.flatMap((tool) => [tool.input, tool.output]).flatMap((schema) => schemasIn(toJsonSchema(schema)));
  // Each schema once: many tools answer the same rows.
  const schemas = [...new Map(all.map((schema) => [JSON.stringify(schema), schema])).values()];

  it('the text of a definition changes with every value in the schemas of every tool', () => {
    for (const schema of schemas) {
      const before = textOf(schema);
      assert.ok(before !== undefined);
      for (const path of pathsIn(schema)) {
        const where = `${path.join('.')} of ${before.slice(0, 200)}`;
        assert.notEqual(textOf(withValue(schema, path, () => undefined)), before, `the text shows no lack of ${where}`);
        if (!isLeaf(valueAt(schema, path))) continue;
        const after = textOf(withValue(schema, path, altered));
        assert.notEqual(after, before, `the text shows no other ${where}`);
        assert.ok(after !== undefined || path.some((key) => REFUSED.has(String(key))), `refuses another ${where}`);
      }
    }
  });

  it('the text of a definition changes with the name and the place of every field', () => {
    for (const schema of schemas) {
      const before = textOf(schema);
      const fields = Object.entries(schema['properties'] ?? {});
      const withFields = (changed: typeof fields): unknown => ({ ...schema, properties: Object.fromEntries(changed) });
      for (const [name] of fields) {
        const renamed = fields.map(([key, value]): [string, unknown] => [key === name ? `${key}_` : key, value]);
        assert.notEqual(textOf(withFields(renamed)), before, name);
      }
      if (fields.length > 1) assert.notEqual(textOf(withFields([...fields.slice(1), ...fields.slice(0, 1)])), before);
    }
  });

  it('the text of a definition has words for each keyword', () => {
    const field = (schema: JsonSchema): string | undefined =>
      schemaLines('input', { properties: { a: schema } })[1]?.slice('input.a  optional '.length);
    const words: [JsonSchema, string][] = [
      [{}, 'any'],
      [{ type: 'string', minLength: 1, maxLength: 9, pattern: '^"' }, 'string 1..9 pattern "^\\""'],
      [{ type: ['string', 'null'], enum: ['1', 1, null] }, 'string|null one of "1", 1, null'],
      [{ type: 'number', minimum: 0, exclusiveMaximum: 2, multipleOf: 0.5 }, 'number 0.. below 2 multiple of 0.5'],
      [{ type: 'number', exclusiveMinimum: 0, maximum: 2, default: 1 }, 'number ..2 over 0 default 1'],
      [{ type: 'boolean', const: true }, 'boolean exactly true'],
      [{ type: 'string', format: 'uri', description: 'a "b"' }, 'string format "uri"  "a \\"b\\""'],
      [{ type: 'array', maxItems: 2, items: { type: 'string' }, default: [] }, 'array ..2 of string default []'],
      [{ type: 'array', items: { type: 'integer', minimum: 1 } }, 'array of (integer 1..)'],
      [{ anyOf: [{ type: 'string' }, { const: 1, description: 'b' }] }, 'any of string or (any exactly 1  "b")'],
      [{ allOf: [{ type: 'string' }, { type: 'string', minLength: 1 }] }, 'all of string and (string 1..)'],
      [{ type: 'object' }, 'object'],
      [{ type: 'object', properties: {}, additionalProperties: false }, 'object without fields closed'],
      [{ type: 'object', additionalProperties: {} }, 'object with others any'],
      [{ type: 'object', additionalProperties: { minimum: 1, type: 'integer' } }, 'object with others (integer 1..)'],
      [{ type: 'object', additionalProperties: true }, 'object with others true'],
    ];
    for (const [schema, text] of words) assert.equal(field(schema), text);
    assert.equal(new Set(words.map(([, text]) => text)).size, words.length);
  });

  it('the text of a definition has a line for each field, wherever it is', () => {
    const inner = { properties: { b: { type: 'string' } }, required: ['b'] };
    const lines = schemaLines('input', {
      type: 'object',
      properties: {
        a: { type: 'array', items: inner },
        c: { anyOf: [{ type: 'null' }, inner] },
        d: { additionalProperties: inner },
      },
    });
    assert.deepEqual(
      lines.filter((line) => line.includes('.b  ')),
      ['input.a[].b  required string', 'input.c|1.b  required string', 'input.d.*.b  required string'],
    );
  });

  it('the text of a definition refuses what it has no words for', () => {
    const refused: JsonSchema[] = [
      { type: 'object', minProperties: 1 },
      { type: 'array', uniqueItems: true },
      { oneOf: [] },
      { type: 'integer', minLength: 1 },
      { type: 'string', minimum: 1 },
      { type: ['string', 'integer'], maximum: 1 },
      { type: 'text' },
      { type: 'array', items: [{ type: 'string' }] },
      { properties: { a: {} }, required: ['b'] },
      { properties: { a: {}, b: {} }, required: ['b', 'a'] },
      { properties: { 'a.b': {} } },
      { properties: { a: { type: 'array', items: { if: {} } } } },
    ];
    for (const schema of refused) assert.throws(() => schemaLines('input', schema), JSON.stringify(schema));
  });
});

function valueAt(node: unknown, path: Path): unknown {
  return path.reduce((value, key) => (value as Record<string | number, unknown>)[key], node);
}
