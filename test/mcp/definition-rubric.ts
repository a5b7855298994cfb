/** The rules of a good tool definition, as far as a machine can tell. docs/decisions/tool-definitions.md has the rules as a table. */
import type { Hints } from '../../mcp/calls/hints.ts';
import type { JsonSchema } from '../../toolkit/input/json-schema.ts';

export interface Definition {
  name: string;
  /** With the summary, as tools/list shows it. */
  description: string;
  inputSchema: JsonSchema;
  /** Left out of call_tool, which may answer an image. */
  outputSchema?: JsonSchema;
  annotations: Hints;
}

export interface Rule {
  criterion: 'purpose' | 'use' | 'behaviour' | 'parameters' | 'return';
  name: string;
  /** catalogue: asked of every tool; list: of those that tools/list shows, where a model has nothing else to go by. */
  of: 'catalogue' | 'list';
  /** The faults of a definition; empty without any. */
  faults(definition: Definition, words: Vocabulary): string[];
}

export interface Vocabulary {
  tools: ReadonlySet<string>;
  /** Names of fields and error codes, which a description may mention too. */
  fields: ReadonlySet<string>;
}

/** call_tool runs what reads, and what does not. */
const READS = /^(?:Count|List|Show|Tell|Find|Recommend|Run)\b/u;
const ACTS =
  /^(?:Add|Apply|Change|Create|Delete|Empty|Hide|Move|Replace|Restore|Revoke|Rotate|Run|Schedule|Send|Set|Show|Skip|Start|Stop|Switch|Toggle|Turn|Upload|Validate)\b/u;
const OBJECT =
  /\b(?:Live streams?|Channels?|Publishings?|Destinations?|Encodings?|Schedules?|occurrences?|walls?|planned actions?|Recordings?|Assets?|clip|Devices?|Users?|API tokens?|licen[cs]es?|Folders?|DRM providers?|Cloud accounts?|transcription|audit log|event log|support bundle|broadcast|programme|logo|operations?)\b/u;
const WHEN = /\b(?:use (?:it|\w+=)|for|to|when|while|where|before|after|until|narrow)\b/iu;
const COST =
  /viewers|undone|interrupt|for good|refused|replaced|overwrite|clears|stopped|o(?:n|ff) air|paired anew|only (?:what is|the fields?) sent/iu;
const REPEATED = /safe to repeat|already|changes nothing/iu;
const NOT_REPEATED = /each call|repeated as/iu;
const LEFT_OUT = /left out|null|^or /iu;
const UNIT =
  /seconds?|minutes?|hours?|days?|kbit|kbps|Hz|ms\b|pixels?|frames|%|per cent|MB|bytes|port|\bid\b|ids\b|from [01]\b|rank|number of|order/iu;
const INSTANT = /^(?:start|end|from|to|until|at)$|_(?:at|start)$/u;

/** A rule whose faults are names of parameters. */
function ofParameters(
  name: string,
  of: Rule['of'],
  isWrong: (parameter: Parameter, description: string) => boolean,
): Rule {
  const faults: Rule['faults'] = ({ inputSchema, description }) =>
    parametersOf(inputSchema).flatMap((parameter) => (isWrong(parameter, description) ? [parameter.path] : []));
  return { criterion: 'parameters', name, of, faults };
}

const unless = (isGood: boolean, fault: string): string[] => (isGood ? [] : [fault]);

export const RULES: readonly Rule[] = [
  {
    criterion: 'purpose',
    name: 'verb',
    of: 'catalogue',
    faults: ({ description, annotations: { readOnlyHint } }) =>
      unless((readOnlyHint ? READS : ACTS).test(description), 'the first word is no verb of its effect'),
  },
  {
    criterion: 'purpose',
    name: 'object',
    of: 'catalogue',
    faults: ({ description }) => unless(OBJECT.test(firstSentence(description)), 'the first sentence names nothing'),
  },
  {
    criterion: 'purpose',
    name: 'more than its name',
    of: 'catalogue',
    faults: ({ name, description }) => unless(addedWords(name, description).length >= 2, 'says its name once more'),
  },
  {
    criterion: 'use',
    name: 'when',
    of: 'catalogue',
    faults: ({ description }) => unless(WHEN.test(afterFirst(description)), 'not said when to use it'),
  },
  {
    criterion: 'use',
    name: 'when not',
    of: 'catalogue',
    faults: ({ name, description }, { tools }) =>
      unless(
        mentioned(description).some((word) => word !== name && tools.has(word)),
        'no tool for the neighbouring job',
      ),
  },
  {
    criterion: 'use',
    name: 'names that exist',
    of: 'catalogue',
    faults: ({ description }, { tools, fields }) =>
      mentioned(description).filter((word) => !tools.has(word) && !fields.has(word)),
  },
  {
    criterion: 'behaviour',
    name: 'cost',
    of: 'catalogue',
    faults: ({ description, annotations }) =>
      unless(!annotations.destructiveHint || COST.test(description), 'not said what it costs or keeps'),
  },
  {
    criterion: 'behaviour',
    name: 'repeat',
    of: 'list',
    faults: ({ description, annotations: { readOnlyHint, idempotentHint } }) =>
      unless(
        readOnlyHint || (idempotentHint ? REPEATED : NOT_REPEATED).test(description),
        'not said what a repeat does',
      ),
  },
  {
    criterion: 'behaviour',
    name: 'wait',
    of: 'list',
    faults: ({ description, inputSchema }) =>
      unless(/\bwait/u.test(description) === 'wait_seconds' in fieldsOf(inputSchema), 'not said that it waits'),
  },
  ofParameters('described', 'catalogue', ({ schema }) => !schema['description']),
  ofParameters(
    'range or unit',
    'catalogue',
    ({ path, schema }) =>
      isNumber(schema) && !isBounded(schema) && !/Ids?$|^id/u.test(path) && !UNIT.test(messagesOf(schema)),
  ),
  ofParameters(
    'form of instants',
    'catalogue',
    ({ name, schema }) =>
      INSTANT.test(name) &&
      schema['type'] !== 'boolean' &&
      ![schema['type']].flat().includes('object') &&
      schema['enum'] === undefined &&
      schema['format'] === undefined &&
      !/ISO 8601|likewise/u.test(messagesOf(schema)),
  ),
  ofParameters(
    'when left out',
    'list',
    ({ isRequired, schema }) =>
      !isRequired &&
      schema['default'] === undefined &&
      schema['type'] !== 'boolean' &&
      !LEFT_OUT.test(messagesOf(schema)),
  ),
  ofParameters('values', 'list', ({ schema }, description) => {
    const values = (schema['enum'] as unknown[] | undefined) ?? [];
    const text = `${description} ${messagesOf(schema)}`.toLowerCase();
    return values.length > 0 && !values.some((value) => text.includes(String(value).toLowerCase()));
  }),
  {
    criterion: 'return',
    name: 'said',
    of: 'list',
    faults: ({ description }) => unless(/\banswers\b/iu.test(description), 'not said what it answers'),
  },
  {
    criterion: 'return',
    name: 'schema',
    of: 'catalogue',
    faults: ({ name, outputSchema }) =>
      unless(name === 'call_tool' || outputSchema?.['type'] === 'object', 'no schema of an object'),
  },
];

interface Parameter {
  path: string;
  name: string;
  schema: JsonSchema;
  isRequired: boolean;
}

function parametersOf(schema: JsonSchema, at = ''): Parameter[] {
  const required = (schema['required'] as string[] | undefined) ?? [];
  return Object.entries(fieldsOf(schema)).flatMap(([name, field]) => {
    const path = `${at}${name}`;
    const inner = (field['items'] as JsonSchema | undefined) ?? field;
    const own = { path, name, schema: field, isRequired: required.includes(name) };
    return [own, ...parametersOf(inner, `${path}.`)];
  });
}

export function fieldsOf(schema: JsonSchema): Record<string, JsonSchema> {
  return (schema['properties'] as Record<string, JsonSchema> | undefined) ?? {};
}

const messagesOf = (schema: JsonSchema): string => `${(schema['description'] as string | undefined) ?? ''}`;
const isNumber = ({ type }: JsonSchema): boolean => /^(?:integer|number)(?:,null)?$/u.test(String(type));
const isBounded = ({ minimum, maximum, enum: values }: JsonSchema): boolean =>
  values !== undefined || (minimum !== undefined && maximum !== undefined);

/** Words in the form of a tool's name. */
const mentioned = (text: string): string[] => text.match(/\b[a-z]+(?:[A-Z][a-z]+)+\b|\b[a-z]+(?:_[a-z]+)+\b/gu) ?? [];
const firstSentence = (text: string): string => /^.*?\.(?= |$)/u.exec(text)?.[0] ?? text;
const afterFirst = (text: string): string => text.slice(firstSentence(text).length);

function addedWords(name: string, description: string): string[] {
  const words = firstSentence(description).match(/[A-Za-z]{3,}/gu) ?? [];
  const output = name.toLowerCase().replaceAll('_', '');
  return words.filter(
    (word) => !output.includes(word.toLowerCase().slice(0, 5)) && !/^(?:the|and|its|for|all|one|that)$/iu.test(word),
  );
}
