/** Decodes path, query and body into the flat input of a tool. Text becomes numbers, booleans and arrays nowhere else. */
import { z } from 'zod/v3';
import { AppError, invalidInput, type FieldIssue } from '../domain/base/errors.ts';
import { jsonOf } from '../domain/base/json.ts';
import type { Route, Tool } from '../toolkit/tool.ts';

type Fields = Record<string, unknown>;

/** The types that a schema accepts beside text, found once for each field. */
interface TextKind {
  number: boolean;
  boolean: boolean;
  null: boolean;
  element: TextKind | undefined;
}

interface PathParam {
  name: string;
  kind: TextKind;
  /** Whether it is `{…Id}`; the routes let only digits pass there. */
  isId: boolean;
}

export interface Decoder {
  readonly params: readonly PathParam[];
  /** Fields that are not in the path. */
  readonly fields: ReadonlyMap<string, TextKind>;
  /** Fields come in the body (POST, PUT, PATCH) or in the query (GET, DELETE). */
  readonly takesBody: boolean;
}

export function createDecoder(tool: Tool, route: Route): Decoder {
  const shape = tool.input.shape;
  const missing = route.params.find((name) => shape[name] === undefined);
  if (missing !== undefined) throw new Error(`${tool.name}: the path parameter ${missing} is no field of the input`);
  const kindAt = (name: string): TextKind => textKind(shape[name] as z.ZodTypeAny);
  const others = Object.keys(shape).filter((name) => !route.params.includes(name));
  return {
    params: route.params.map((name) => ({ name, kind: kindAt(name), isId: isIdParam(tool, name) })),
    fields: new Map(others.map((name) => [name, kindAt(name)])),
    takesBody: route.method !== 'GET' && route.method !== 'DELETE',
  };
}

/** Whether a parameter of the path is an id of ours, which is digits. The id of another service has that service's form. */
export function isIdParam(tool: Tool, name: string): boolean {
  const field = tool.input.shape[name];
  return name.endsWith('Id') && field !== undefined && textKind(field).number;
}

/** Throws AppError not_found for digits that are no id, invalid_input for broken percent-encoding. */
export function decodePath(decoder: Decoder, values: readonly string[]): Fields {
  const input: Fields = {};
  decoder.params.forEach(({ name, kind, isId }, index) => {
    const raw = values[index] ?? '';
    if (isId && (Number(raw) < 1 || !Number.isSafeInteger(Number(raw)))) {
      throw new AppError('not_found', `There is no ${name} ${raw.slice(0, 100)}: ids are positive integers.`, {
        facts: { field: name },
      });
    }
    input[name] = fromText(isId ? raw : decodeSegment(name, raw), kind);
  });
  return input;
}

/** The values of a path that has texts in the places of ids, and a finding for each of these. */
export function textsInPath(decoder: Decoder, values: readonly string[]): { args: Fields; issues: FieldIssue[] } {
  const args: Fields = {};
  const issues: FieldIssue[] = [];
  for (const [index, { name, isId }] of decoder.params.entries()) {
    const raw = values[index] ?? '';
    args[name] = textOf(raw);
    if (isId && !/^\d+$/u.test(raw))
      issues.push({ field: name, code: 'invalid_type', message: 'must be a number', expected: 'number' });
  }
  return { args, issues };
}

function textOf(raw: string): string {
  try {
    return decodeURIComponent(raw);
  } catch {
    return raw;
  }
}

function decodeSegment(name: string, raw: string): string {
  try {
    return decodeURIComponent(raw);
  } catch {
    // The parser only says that the URI is malformed; this error names the field.
    throw invalidInput([{ field: name, code: 'invalid_format', message: 'is not valid percent-encoded UTF-8' }]);
  }
}

/** `search` is the query with or without its question mark. Throws AppError invalid_input with every finding. */
export function decodeQuery(decoder: Decoder, search: string): Fields {
  const input: Fields = {};
  const issues: FieldIssue[] = [];
  const allowed = decoder.takesBody ? [] : [...decoder.fields.keys()];
  for (const [name, text] of new URLSearchParams(search)) {
    const kind = decoder.takesBody ? undefined : decoder.fields.get(name);
    if (kind === undefined) {
      const hint = decoder.takesBody
        ? 'is not a query field: this operation takes its fields in the body'
        : 'is not a query field of this operation';
      issues.push({ field: name.slice(0, 100), code: 'unknown_field', message: hint, allowed });
    } else if (kind.element !== undefined) {
      const element = kind.element;
      const more = text === '' ? [] : text.split(',').map((part) => fromText(part.trim(), element));
      input[name] = [...((input[name] as unknown[] | undefined) ?? []), ...more];
    } else if (name in input) {
      issues.push({ field: name, code: 'repeated', message: 'must be given once' });
    } else {
      input[name] = fromText(text, kind);
    }
  }
  if (issues.length > 0) throw invalidInput(issues);
  return input;
}

/** Coerces the text fields of a form as it does those of a query; an array, which may hold objects, is JSON. */
export function decodeForm(decoder: Decoder, texts: ReadonlyMap<string, string>): Fields {
  const entries = [...texts].map(([name, text]) => {
    const kind = decoder.fields.get(name);
    if (kind === undefined) return [name, text];
    return [name, kind.element === undefined ? fromText(text, kind) : (jsonOf(text) ?? text)];
  });
  return Object.fromEntries(entries) as Fields;
}

/** A field of the path may be repeated in the body with the same value: clients send back what they read. */
export function joinBody(path: Fields, body: Fields): Fields {
  for (const [name, value] of Object.entries(path)) {
    if (Object.hasOwn(body, name) && body[name] !== value) {
      throw invalidInput([
        {
          field: name,
          code: 'path_mismatch',
          message: `differs from the ${name} in the path; leave it out of the body`,
        },
      ]);
    }
  }
  return { ...body, ...path };
}

/** Text that does not fit stays text: the tool's own schema then names the field and its type. */
function fromText(text: string, kind: TextKind): unknown {
  if (kind.number && /^-?\d{1,15}(?:\.\d{1,15})?$/u.test(text)) return Number(text);
  if (kind.boolean && (text === 'true' || text === 'false')) return text === 'true';
  if (kind.null && text === 'null') return null;
  return text;
}

/** zod/v3 keeps what a schema wraps under a different name for each wrapper. */
interface Inner {
  innerType?: z.ZodTypeAny;
  schema?: z.ZodTypeAny;
  type?: z.ZodTypeAny;
  options?: z.ZodTypeAny[];
  value?: unknown;
}

function textKind(schema: z.ZodTypeAny): TextKind {
  const inner = schema._def as Inner;
  const none: TextKind = { number: false, boolean: false, null: false, element: undefined };
  if (schema instanceof z.ZodNumber) return { ...none, number: true };
  if (schema instanceof z.ZodBoolean) return { ...none, boolean: true };
  if (schema instanceof z.ZodLiteral)
    return { ...none, number: typeof inner.value === 'number', boolean: typeof inner.value === 'boolean' };
  if (schema instanceof z.ZodNullable) return { ...textKind(schema.unwrap() as z.ZodTypeAny), null: true };
  if (schema instanceof z.ZodArray) return { ...none, element: textKind(inner.type as z.ZodTypeAny) };
  if (schema instanceof z.ZodUnion) {
    const kinds = (inner.options ?? []).map(textKind);
    return {
      number: kinds.some((kind) => kind.number),
      boolean: kinds.some((kind) => kind.boolean),
      null: kinds.some((kind) => kind.null),
      element: kinds.find((kind) => kind.element !== undefined)?.element,
    };
  }
  const wrapped = inner.innerType ?? inner.schema;
  return wrapped === undefined ? none : textKind(wrapped);
}
