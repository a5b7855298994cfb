/** The example of an operation as it is typed in a shell. */
import { bodyExample, exampleOf } from '../../rest/openapi/openapi-examples.ts';
import { toJsonSchema, type JsonSchema } from '../../toolkit/input/json-schema.ts';
import { routeOf, type Tool } from '../../toolkit/tool.ts';
import { shellWord } from '../output/shell.ts';

type Fields = Record<string, unknown>;

export function exampleCommand(tool: Tool): string {
  const words = wordsOf(exampleArguments(tool));
  return ['onair', 'call', tool.name, ...words].join(' ');
}

/** The same values as in the example of the API description. */
function exampleArguments(tool: Tool): Fields {
  const schema = toJsonSchema(tool.input);
  const properties = (schema['properties'] ?? {}) as Record<string, JsonSchema>;
  const { method, params } = routeOf(tool);
  const inPath = Object.fromEntries(params.map((name) => [name, exampleOf(properties[name] ?? {}, name)]));
  const needed = (schema['required'] ?? []) as string[];
  if (method === 'GET' || method === 'DELETE') {
    const others = needed.filter((name) => !params.includes(name));
    return { ...inPath, ...Object.fromEntries(others.map((name) => [name, exampleOf(properties[name] ?? {}, name)])) };
  }
  const body = {
    ...schema,
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => !params.includes(name))),
    required: needed.filter((name) => !params.includes(name)),
  };
  return { ...inPath, ...bodyExample(tool.name, body) };
}

/** `--settings.url https://…` for each value within. */
export function wordsOf(fields: Fields, before = '--'): string[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    if (isObject(value) && Object.keys(value).length > 0) return wordsOf(value, `${before}${name}.`);
    return [`${before}${name}`, shellWord(textOf(value))];
  });
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A list of plain values is typed with commas. */
function textOf(value: unknown): string {
  const isPlain = (each: unknown): boolean =>
    typeof each === 'number' || (typeof each === 'string' && /^[\w./-]+$/u.test(each));
  if (Array.isArray(value) && value.length > 0 && value.every(isPlain)) return value.join(',');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
