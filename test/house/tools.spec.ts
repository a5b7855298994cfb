/** The rules of every tool: its file, its declaration, its words. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod/v3';
import { toJsonSchema } from '../../toolkit/input/json-schema.ts';
import { restOf, routeOf, type Tool } from '../../toolkit/tool.ts';
import { operations } from '../../tools/index.ts';
import { workflows } from '../../workflows/index.ts';
import { declarationOf, sourceFiles } from './sources.ts';
import { wordsOf } from '../helpers/words.ts';

const KEY_ORDER = wordsOf(`
  name summary description tag aliases rest access effect performs secretAnswer endsAccess input output
  shortFields handle
`);
const MAX_LINES = 120;
const MAX_HANDLER_LINES = 25;
/** 700 tokens of name, description and input schema; 4.1 characters a token, measured over these schemas. */
const BUDGET = 2870;
/** The settings of nine types of Destination, or all that an encoder can be told, do not fit; nothing else may be longer. */
const LARGE: Record<string, number> = {
  addPublishing: 5300,
  updatePublishing: 5100,
  addLivestream: 7800,
  updateLivestream: 7500,
  updateLivestreamOptions: 5000,
  addEncoding: 4350,
  updateEncoding: 4200,
  addChannel: 5050,
  setUpBroadcast: 4500,
  updateChannel: 4800,
};

const FIRST_WORDS: Record<Tool['effect'], RegExp> = {
  read: /^(List|Show|Tell|Find|Recommend|Count)\b/u,
  create: /^(Create|Upload|Add|Schedule|Skip)\b/u,
  update: /^(Change|Set|Replace|Rotate)\b/u,
  delete: /^(Delete|Revoke|Restore)\b/u,
  control: /^(Start|Stop|Show|Hide|Toggle|Switch|Apply|Send|Turn|Validate|Move|Empty)\b/u,
};

const folders = { tools: operations, workflows } as const;

describe('tool files', () => {
  for (const [folder, tools] of Object.entries(folders)) {
    const files = sourceFiles(folder).filter((file) => !file.endsWith('/index.ts'));

    it(`${folder}/ holds one tool a file, all of them in the index`, () => {
      assert.deepEqual(
        files.map((file) => file.slice(folder.length + 1, -'.ts'.length)).sort(),
        tools.map((tool) => tool.name).sort(),
      );
    });

    for (const file of files) {
      it(`${file} is a declaration and a short handler`, () => {
        const { exports, keys, handlerLines, lines } = declarationOf(file);
        assert.deepEqual(
          exports,
          [file.slice(folder.length + 1, -'.ts'.length)],
          'exports one tool, named as the file',
        );
        assert.deepEqual(
          keys,
          KEY_ORDER.filter((key) => keys.includes(key)),
          'keys in the order of the house',
        );
        assert.ok(lines <= MAX_LINES, `${lines} lines; at most ${MAX_LINES}`);
        assert.ok(
          handlerLines <= MAX_HANDLER_LINES,
          `the handler has ${handlerLines} lines; at most ${MAX_HANDLER_LINES}`,
        );
      });
    }
  }
});

describe('tool declarations', () => {
  for (const tool of [...operations, ...workflows]) {
    it(`${tool.name} says what it is`, () => {
      const { summary, description, aliases, effect, tag } = tool;
      assert.ok(summary.length > 10 && summary.length <= 120, `summary of ${summary.length} characters; at most 120`);
      assert.match(summary, /\.$/u, 'the summary is a sentence');
      assert.match(
        summary,
        FIRST_WORDS[effect],
        `the summary of a tool with effect ${effect} begins with a fitting verb`,
      );
      assert.ok(
        description.length > 40 && description.length <= 600,
        `description of ${description.length} characters; at most 600`,
      );
      assert.ok(aliases.length >= 4 && aliases.length <= 12, `${aliases.length} aliases; 4 to 12`);
      assert.equal(new Set(aliases).size, aliases.length, 'no alias twice');
      assert.ok(tag.length > 0);
      const size = JSON.stringify({ name: tool.name, description, inputSchema: toJsonSchema(tool.input) }).length;
      const budget = LARGE[tool.name] ?? BUDGET;
      assert.ok(size <= budget, `${size} characters of name, description and input schema; at most ${budget}`);
    });

    it(`${tool.name} describes every field of its input, and is strict`, () => {
      assert.equal(tool.input._def.unknownKeys, 'strict');
      assert.deepEqual(undescribed(tool.input.shape), []);
      assert.equal(outputIsStrict(tool), true, 'an output that lets unknown fields through would leak them');
    });
  }

  for (const tool of operations) {
    it(`${tool.name} has a route that fits its effect and its input`, () => {
      const route = routeOf(tool);
      assert.match(tool.rest ?? '', /^(GET|POST|PUT|PATCH|DELETE) \/[\w/{}]+$/u);
      assert.equal(route.method === 'GET', tool.effect === 'read', 'GET reads, and nothing else does');
      assert.equal(route.method === 'DELETE', tool.effect === 'delete', 'DELETE deletes, and nothing else does');
      for (const param of route.params) assert.ok(param in tool.input.shape, `{${param}} is a field of the input`);
    });
  }

  it('routes and names occur once', () => {
    const names = [...operations, ...workflows].map((tool) => tool.name);
    assert.equal(new Set(names).size, names.length);
    const routes = [...operations, ...workflows].map((tool) => restOf(tool).replace(/\{\w+\}/gu, '{}'));
    assert.equal(new Set(routes).size, routes.length);
  });

  it('each list has short fields for models, all of them fields of its rows', () => {
    for (const tool of operations.filter(
      ({ output }) => output instanceof z.ZodObject && 'rows' in (output.shape as object),
    )) {
      const rows = (tool.output as unknown as { shape: { rows: z.ZodArray<z.ZodObject<z.ZodRawShape>> } }).shape.rows;
      assert.ok(tool.shortFields, `${tool.name} has no shortFields`);
      assert.deepEqual(
        tool.shortFields.filter((name) => !(name in rows.element.shape)),
        [],
        tool.name,
      );
    }
  });
});

/** Dotted paths of fields without a description, nested ones included. */
function undescribed(shape: z.ZodRawShape, path = ''): string[] {
  return Object.entries(shape).flatMap(([name, field]) => {
    const at = path === '' ? name : `${path}.${name}`;
    return [...(descriptionOf(field) ? [] : [at]), ...undescribed(nestedShape(field), at)];
  });
}

function descriptionOf(field: z.ZodTypeAny): string | undefined {
  return field.description ?? (isWrapper(field) ? descriptionOf(unwrap(field)) : undefined);
}

function nestedShape(field: z.ZodTypeAny): z.ZodRawShape {
  if (field instanceof z.ZodObject) return field.shape as z.ZodRawShape;
  if (field instanceof z.ZodArray) return nestedShape(field.element as z.ZodTypeAny);
  return isWrapper(field) ? nestedShape(unwrap(field)) : {};
}

type Wrapper =
  z.ZodDefault<z.ZodTypeAny> | z.ZodOptional<z.ZodTypeAny> | z.ZodNullable<z.ZodTypeAny> | z.ZodEffects<z.ZodTypeAny>;

function isWrapper(field: z.ZodTypeAny): field is Wrapper {
  return (
    field instanceof z.ZodDefault ||
    field instanceof z.ZodOptional ||
    field instanceof z.ZodNullable ||
    field instanceof z.ZodEffects
  );
}

function unwrap(field: Wrapper): z.ZodTypeAny {
  if (field instanceof z.ZodDefault) return field.removeDefault();
  return field instanceof z.ZodEffects ? field.innerType() : field.unwrap();
}

function outputIsStrict({ output }: Tool): boolean {
  if (!(output instanceof z.ZodObject) || output._def.unknownKeys !== 'strict') return false;
  return Object.values(output.shape as z.ZodRawShape).every((field) => isStrictInside(field));
}

function isStrictInside(field: z.ZodTypeAny): boolean {
  if (isWrapper(field)) return isStrictInside(unwrap(field));
  if (field instanceof z.ZodArray) return isStrictInside(field.element as z.ZodTypeAny);
  if (!(field instanceof z.ZodObject)) return true;
  return field._def.unknownKeys === 'strict' && Object.values(field.shape as z.ZodRawShape).every(isStrictInside);
}
