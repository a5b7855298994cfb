/**
 * The definition of a tool as its callers see it, as text: a line for each fact of its head, then a line for each field of input and
 * output. Each line has the whole path of its field, so that any line of a diff can be read by itself.
 */
import { toJsonSchema, type JsonSchema } from '../toolkit/input/json-schema.ts';
import { restOf, type Tool } from '../toolkit/tool.ts';

/** Keywords that bound a value from below and above, by the type whose values they bound. */
const RANGES: Record<string, readonly [low: string, high: string]> = {
  string: ['minLength', 'maxLength'],
  integer: ['minimum', 'maximum'],
  number: ['minimum', 'maximum'],
  array: ['minItems', 'maxItems'],
};

/** Keywords that are a word and a value in the text, in this order. The value is JSON, so that "1" and 1 differ. */
const WORDS: Record<string, string> = {
  exclusiveMinimum: 'over',
  exclusiveMaximum: 'below',
  multipleOf: 'multiple of',
  format: 'format',
  pattern: 'pattern',
  const: 'exactly',
};

/** Text by the name of the tool. An answer that several tools give is written out for the first of them, which the others name. */
export function definitionTexts(tools: readonly Tool[]): Map<string, string> {
  const firsts = new Map<string, string>();
  const inOrder = [...tools].sort((a, b) => (a.name < b.name ? -1 : 1));
  return new Map(
    inOrder.map((tool) => {
      const output = schemaLines('output', toJsonSchema(tool.output));
      const whole = output.join('\n');
      const first = firsts.get(whole);
      firsts.set(whole, first ?? tool.name);
      const isWritten = first === undefined || output.length === 1;
      return [tool.name, [...headOf(tool), ...(isWritten ? output : [`output  as of ${first}`]), ''].join('\n')];
    }),
  );
}

function headOf(tool: Tool): string[] {
  return [
    `name  ${tool.name}`,
    `summary  ${JSON.stringify(tool.summary)}`,
    `rest  ${restOf(tool)}`,
    `access  ${tool.access}`,
    `effect  ${tool.effect}`,
    ...schemaLines('input', toJsonSchema(tool.input)),
  ];
}

/** Throws on a keyword, or a use of one, that the text has no words for: what the text does not show could change unseen. */
export function schemaLines(path: string, schema: JsonSchema): string[] {
  return [`${path}  ${schemaText(schema)}`, ...fieldLines(path, schema)];
}

/** Lines of the fields within a schema, at any depth; those of the items of a list are at `path[]`. */
function fieldLines(path: string, schema: JsonSchema): string[] {
  const { properties, items, additionalProperties, anyOf, allOf } = schema;
  const fields = Object.entries((properties ?? {}) as Record<string, JsonSchema>);
  const required = (schema['required'] ?? []) as string[];
  const inOrder = fields.map(([name]) => name).filter((name) => required.includes(name));
  if (inOrder.join() !== required.join())
    throw new Error(`${path}: required is not a part of the properties in their order`);
  return [
    ...fields.flatMap(([name, field]) => {
      if (!/^[\w-]+$/u.test(name)) throw new Error(`${path}: the name of a field cannot be ${JSON.stringify(name)}`);
      const [own = '', ...inner] = schemaLines(`${path}.${name}`, field);
      const at = `${path}.${name}  `;
      return [`${at}${required.includes(name) ? 'required' : 'optional'} ${own.slice(at.length)}`, ...inner];
    }),
    ...(isSchema(items) ? fieldLines(`${path}[]`, items) : []),
    ...(isSchema(additionalProperties) ? fieldLines(`${path}.*`, additionalProperties) : []),
    ...[...branches(anyOf), ...branches(allOf)].flatMap((branch, index) => fieldLines(`${path}|${index}`, branch)),
  ];
}

/** All that a schema says but for its fields. */
function schemaText(schema: JsonSchema): string {
  const { type, description, enum: values, items, properties, required: _shown, anyOf, allOf, ...rest } = schema;
  const words: string[] = [typeText(type, anyOf ?? allOf)];
  const take = (keyword: string): unknown => {
    const value = rest[keyword];
    delete rest[keyword];
    return value;
  };
  words.push(rangeText(type, take));
  for (const [keyword, word] of Object.entries(WORDS)) {
    const value = take(keyword);
    if (value !== undefined) words.push(`${word} ${JSON.stringify(value)}`);
  }
  if (values !== undefined)
    words.push(`one of ${(values as unknown[]).map((value) => JSON.stringify(value)).join(', ')}`);
  if (anyOf !== undefined) words.push(`any of ${branches(anyOf).map(nestedText).join(' or ')}`);
  if (allOf !== undefined) words.push(`all of ${branches(allOf).map(nestedText).join(' and ')}`);
  if (items !== undefined) words.push(`of ${nestedText(items)}`);
  const others = take('additionalProperties');
  if (isSchema(properties) && Object.keys(properties).length === 0) words.push('without fields');
  if (others === false) words.push('closed');
  else if (others !== undefined) words.push(`with others ${others === true ? 'true' : nestedText(others)}`);
  const initial = take('default');
  if (initial !== undefined) words.push(`default ${JSON.stringify(initial)}`);
  const unknown = Object.keys(rest);
  if (unknown.length > 0)
    throw new Error(`The text of a definition has no words for ${unknown.join(', ')} of type ${JSON.stringify(type)}`);
  const text = words.filter((word) => word !== '').join(' ');
  return description === undefined ? text : `${text}  ${JSON.stringify(description)}`;
}

const TYPES = ['string', 'integer', 'number', 'boolean', 'array', 'object', 'null'];

/** A schema of branches that names no type has its types in them. */
function typeText(type: unknown, alternatives: unknown): string {
  if (type === undefined) return alternatives === undefined ? 'any' : '';
  const types = (Array.isArray(type) ? type : [type]) as string[];
  if (types.some((name) => !TYPES.includes(name))) throw new Error(`There is no type ${JSON.stringify(type)}`);
  return types.join('|');
}

/** `1..100` of characters, items or the number itself. Only bounds of the schema's own type are taken: of another they would read alike. */
function rangeText(type: unknown, take: (keyword: string) => unknown): string {
  const [own, ...more] = (Array.isArray(type) ? type : [type]).filter((name) => name !== 'null');
  const range = more.length === 0 ? RANGES[String(own)] : undefined;
  const [low, high] = (range ?? []).map(take);
  return low === undefined && high === undefined ? '' : `${String(low ?? '')}..${String(high ?? '')}`;
}

function nestedText(schema: unknown): string {
  if (!isSchema(schema)) throw new Error(`A schema cannot be ${JSON.stringify(schema)}`);
  const text = schemaText(schema);
  return /^\w+$/u.test(text) ? text : `(${text})`;
}

function branches(schemas: unknown): JsonSchema[] {
  return (schemas ?? []) as JsonSchema[];
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The lines that went and came, as a diff writes them; where only their order differs, the first line of another place. */
export function changedLines(before: string, after: string): string[] {
  const [old, now] = [before.split('\n'), after.split('\n')];
  const changed = [
    ...old.filter((line) => !now.includes(line)).map((line) => `- ${line}`),
    ...now.filter((line) => !old.includes(line)).map((line) => `+ ${line}`),
  ];
  if (changed.length > 0 || before === after) return changed;
  return [`order of lines, from: ${now.find((line, index) => line !== old[index]) ?? '(end)'}`];
}
