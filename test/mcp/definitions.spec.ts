/** The written rubric over every definition: full marks for each tool that is listed, and for all others what is asked of them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ERROR_CODES } from '../../domain/base/errors.ts';
import { ROLE } from '../../domain/shapes/installation/security.ts';
import { hintsOf } from '../../mcp/calls/hints.ts';
import { instructionsFor } from '../../mcp/calls/instructions.ts';
import { DEFAULT_LIMIT } from '../../mcp/calls/meta-tools.ts';
import { CHARS_PER_TOKEN } from '../../mcp/search/schema-size.ts';
import { answerSearch } from '../../mcp/search/search-answer.ts';
import { createToolSearch } from '../../mcp/search/search.ts';
import { buildSurface, type ListedTool } from '../../mcp/calls/surface.ts';
import { profiles } from '../../profiles/profiles.ts';
import { toJsonSchema, type JsonSchema } from '../../toolkit/input/json-schema.ts';
import type { Tool } from '../../toolkit/tool.ts';
import { fieldsOf, RULES, type Definition, type Rule } from './definition-rubric.ts';
import { catalogue } from '../app/test-app.ts';

const lists = profiles.map((profile) => buildSurface(catalogue, profile, ROLE.admin).list);
const listed = lists.at(-1) ?? [];
const operations = catalogue.operations.map(definitionOf);

function definitionOf(tool: Tool): Definition {
  return {
    name: tool.name,
    description: `${tool.summary} ${tool.description}`,
    inputSchema: toJsonSchema(tool.input),
    outputSchema: toJsonSchema(tool.output),
    annotations: hintsOf(tool),
  };
}

const vocabulary = {
  tools: new Set([...listed, ...operations].map(({ name }) => name)),
  fields: new Set([
    ...Object.keys(ERROR_CODES),
    ...listed.flatMap(({ inputSchema }) => namesIn(inputSchema)),
    ...operations.flatMap(({ inputSchema, outputSchema }) => [inputSchema, outputSchema ?? {}].flatMap(namesIn)),
  ]),
};

/** Field names at every level, and the values of enums, which look like names too. */
function namesIn(schema: JsonSchema): string[] {
  const inner = [...Object.values(fieldsOf(schema)), ...[schema['items'] ?? []].flat()] as JsonSchema[];
  const values = (schema['enum'] as unknown[] | undefined) ?? [];
  return [...Object.keys(fieldsOf(schema)), ...values.map(String), ...inner.flatMap(namesIn)];
}

interface Mark {
  tool: string;
  rule: Rule;
  faults: string[];
}

const marksOf = (definition: Definition, rules: readonly Rule[]): Mark[] =>
  rules.map((rule) => ({ tool: definition.name, rule, faults: rule.faults(definition, vocabulary) }));

function score(marks: readonly Mark[]): string {
  const good = marks.filter(({ faults }) => faults.length === 0);
  const criteria = [...new Set(marks.map(({ rule }) => rule.criterion))].map((criterion) => {
    const of = (all: readonly Mark[]): number => all.filter(({ rule }) => rule.criterion === criterion).length;
    return `${criterion} ${of(good)}/${of(marks)}`;
  });
  return `${good.length}/${marks.length} (${criteria.join(', ')})`;
}

function assertFull(marks: readonly Mark[]): void {
  const missed = marks.filter(({ faults }) => faults.length > 0);
  const messages = missed.map(
    ({ tool, rule, faults }) => `${tool}: ${rule.criterion}, ${rule.name}: ${faults.join(', ')}`,
  );
  assert.equal(messages.length, 0, messages.join('\n'));
}

test('each listed tool has full marks, on every profile', (t) => {
  for (const tool of listed) t.diagnostic(`${tool.name}: ${score(marksOf(tool, RULES))}`);
  for (const list of lists) assertFull(list.flatMap((tool) => marksOf(tool, RULES)));
});

test('each operation has full marks in what all definitions are asked', (t) => {
  const rules = RULES.filter((rule) => rule.of === 'catalogue');
  const marks = operations.flatMap((tool) => marksOf(tool, rules));
  t.diagnostic(`${operations.length} operations: ${score(marks)}`);
  assertFull(marks);
});

test('each rule for definitions refuses a definition that breaks it', () => {
  for (const rule of RULES) {
    assert.notDeepEqual(rule.faults(BAD, vocabulary), [], `${rule.criterion}, ${rule.name} lets everything pass`);
  }
});

/** Wrong in every way that the rubric knows. */
const BAD: Definition = {
  name: 'start_livestream',
  description: 'Starts livestream. A call of startStream.',
  inputSchema: {
    type: 'object',
    properties: {
      wait_seconds: { type: 'integer' },
      start: { type: 'string', description: 'Begin.' },
      path: { type: 'string', enum: ['primary', 'backup'], description: 'Which.' },
    },
  },
  outputSchema: {},
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
};

test('a workflow searched by its name comes first, with the types of its answer, within 1,500 tokens', () => {
  const search = createToolSearch([...catalogue.operations, ...catalogue.workflows]);
  for (const { name, output } of catalogue.workflows) {
    const answered = answerSearch(search, { query: name, limit: 1, detail: 'schema' }, () => true);
    const [found] = answered.tools as unknown as Definition[];
    assert.equal(found?.name, name);
    assert.deepEqual(
      Object.keys(fieldsOf(found.outputSchema ?? {})),
      Object.keys(fieldsOf(toJsonSchema(output))),
      name,
    );
    const many = answerSearch(search, { query: name, limit: DEFAULT_LIMIT, detail: 'schema' }, () => true);
    assert.equal(many.tools[0]?.['name'], name);
    assert.ok(JSON.stringify(many).length / CHARS_PER_TOKEN <= 1500, `${name}: ${JSON.stringify(many).length}`);
  }
});

test('instructions and definitions do not say the same twice', () => {
  for (const profile of profiles) {
    const instructed = runsOf(instructionsFor(profile, 'America/Argentina/ComodRivadavia'));
    for (const tool of listed) {
      const repeated = textsOf(tool).flatMap((text) => [...runsOf(text)].filter((run) => instructed.has(run)));
      assert.deepEqual(repeated, [], `${profile.name}, ${tool.name}`);
    }
  }
});

function textsOf({ description, inputSchema }: ListedTool): string[] {
  const fields = Object.values(fieldsOf(inputSchema)).map((field) => field['description'] as string);
  return [description, ...fields];
}

/** All runs of four words. */
function runsOf(text: string): Set<string> {
  const words = text.toLowerCase().match(/[a-z0-9_]+/gu) ?? [];
  return new Set(words.slice(3).map((_, index) => words.slice(index, index + 4).join(' ')));
}
