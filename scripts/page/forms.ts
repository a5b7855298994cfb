/** web/gen/forms/: the fields of each body, a file for each group of operations, so that a page loads those it needs. */
import { z } from 'zod/v3';
import { wordsFor } from '../../rest/openapi/openapi-words.ts';
import { propertiesOf } from '../../rest/openapi/openapi-components.ts';
import { instantPaths } from '../../toolkit/input/instants.ts';
import { toJsonSchema, type JsonSchema } from '../../toolkit/input/json-schema.ts';
import { routeOf, type Tool } from '../../toolkit/tool.ts';
import { bodiesOf, rulesOf, type FieldRule, type When } from './form-rules.ts';

const SECRET = /write-only|answered masked|not stored/iu;
const SECRET_NAME = /^(?:password|passphrase|stream_key|api_key|secret|secret_key|key)$/u;
const BOUNDS = ['minimum', 'maximum', 'maxLength', 'maxItems', 'multipleOf'] as const;

interface Place {
  operation: string;
  rules: Readonly<Record<string, FieldRule>>;
  path: string;
  /** The paths of its instants. */
  instants: ReadonlySet<string>;
  when?: When;
}

/** Text by path. */
export function formFiles(operations: readonly Tool[]): Map<string, string> {
  const groups = new Map<string, string[]>();
  const loaders: string[] = [];
  for (const tool of operations) {
    const fields = formOf(tool);
    if (fields.length === 0) continue;
    const group = tool.tag.toLowerCase().replaceAll(/[^a-z\d]+/gu, '-');
    const path = `web/gen/forms/${group}.ts`;
    groups.set(path, [...(groups.get(path) ?? []), `export const ${tool.name} = ${JSON.stringify(fields)};`]);
    loaders.push(`${tool.name}: async () => (await import('./forms/${group}.ts')).${tool.name},`);
  }
  const index = `/** The fields of each form, by its operation; they are loaded when a form is opened. */\nexport const FORMS = {\n${loaders.join('\n')}\n};\nexport type FormOperation = keyof typeof FORMS;\n`;
  return new Map([
    ['web/gen/forms.ts', index],
    ...[...groups].map(([path, forms]): [string, string] => [path, `${forms.join('\n')}\n`]),
  ]);
}

function formOf(tool: Tool): object[] {
  const { method, params } = routeOf(tool);
  if (method === 'GET' || method === 'DELETE') return [];
  const instants = new Set(instantPaths(tool.input).map((path) => path.join('.')));
  const place = { operation: tool.name, rules: rulesOf(tool.name), path: '', instants };
  return fieldsOf(toJsonSchema(tool.input), place, params);
}

function fieldsOf(schema: JsonSchema, place: Place, without: readonly string[] = []): object[] {
  const required = (schema['required'] ?? []) as string[];
  return Object.entries(propertiesOf(schema))
    .filter(([name]) => !without.includes(name) && place.rules[pathIn(place, name)]?.isLeftOut !== true)
    .map(([name, property]) => fieldOf(name, property, required.includes(name), place));
}

const pathIn = ({ path }: Place, name: string): string => (path === '' ? name : `${path}.${name}`);

function fieldOf(name: string, schema: JsonSchema, required: boolean, place: Place): object {
  const path = pathIn(place, name);
  const { when, isNeeded, requiredFor, initial = schema['default'], without = [], only } = place.rules[path] ?? {};
  const { when: outer } = place;
  const branches = ((schema['anyOf'] ?? [schema]) as JsonSchema[]).filter(({ type }) => type !== 'null');
  const types = branches.flatMap(({ type }) => [type ?? 'string'].flat() as string[]);
  const shape = { ...branches[0]!, ...withoutUnion(schema) };
  const help = (schema['description'] ?? wordsFor(name) ?? '') as string;
  const choices = (only ?? choicesOf(branches))?.filter((choice) => !without.includes(choice));
  const inner = { ...place, path };
  return {
    name,
    type: choices === undefined ? typeOf(types) : 'choice',
    required: isNeeded ?? required,
    nullable:
      [schema['type']].flat().includes('null') ||
      ((schema['anyOf'] ?? []) as JsonSchema[]).some(({ type }) => type === 'null'),
    help,
    ...(initial !== undefined && { initial }),
    ...(choices && { choices }),
    ...(place.instants.has(path) && { type: 'instant' }),
    ...((SECRET.test(help) || SECRET_NAME.test(name)) && typeOf(types) === 'text' && { secret: true }),
    ...Object.fromEntries(BOUNDS.flatMap((key) => (typeof shape[key] === 'number' ? [[key, shape[key]]] : []))),
    ...((when || outer) && { when: { ...outer, ...when } }),
    ...(requiredFor?.length && { requiredFor }),
    ...contentOf(name, shape, inner),
  };
}

/** The fields of an object, what a list is of, or the bodies of all types where the type decides. */
function contentOf(name: string, shape: JsonSchema, place: Place): object {
  const bodies = bodiesOf(place.operation, name);
  if (bodies !== undefined) {
    const fields = bodies.flatMap(([type, body]) =>
      fieldsOf(toJsonSchema(z.object(body)), { ...place, rules: {}, when: { type: [type] } }),
    );
    // Each body has words of its own.
    return { type: 'object', help: '', fields };
  }
  const types = [shape['type']].flat();
  const { when: _shown, ...unconditional } = place;
  if (types.includes('object')) {
    const fields = fieldsOf(shape, unconditional);
    return fields.length === 0 ? { type: 'json' } : { fields };
  }
  if (!types.includes('array')) return {};
  return { item: fieldOf('item', (shape['items'] ?? {}) as JsonSchema, true, unconditional) };
}

function withoutUnion({ anyOf: _branches, ...rest }: JsonSchema): JsonSchema {
  return rest;
}

/** The values of a field that has few: an enum, single values, `auto` beside true and false. */
function choicesOf(branches: readonly JsonSchema[]): unknown[] | undefined {
  const values = branches.map((branch) => {
    if (Array.isArray(branch['enum'])) return (branch['enum'] as unknown[]).filter((value) => value !== null);
    if ('const' in branch) return [branch['const']];
    return branches.length > 1 && branch['type'] === 'boolean' ? [true, false] : undefined;
  });
  return values.every((value) => value !== undefined) ? values.flat() : undefined;
}

const TYPES = { integer: 'integer', number: 'number', boolean: 'boolean', array: 'list', object: 'object' } as const;

function typeOf(types: readonly string[]): string {
  const real = types.filter((type) => type !== 'null');
  // A field of several types is typed as text, which the server reads as what it looks like.
  return (real.length === 1 && TYPES[real[0] as keyof typeof TYPES]) || 'text';
}
