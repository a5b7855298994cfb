/** Turns the words of `onair call`, `--name value` pairs and JSON, into the arguments of an operation. */
import { readFileSync } from 'node:fs';
import { z } from 'zod/v3';
import { AppError, invalidInput } from '../../domain/base/errors.ts';
import type { Tool } from '../../toolkit/tool.ts';
import { missingValue } from '../command.ts';

/**
 * The words after the operation are a JSON object, `-` for JSON on stdin, and `--field value` or `--field=value`, where `--settings.url`
 * reaches a nested field. Throws AppError invalid_input.
 */
export function parseArguments({ input }: Pick<Tool, 'input'>, words: readonly string[]): Record<string, unknown> {
  const args: Record<string, unknown> = {};
  const rest = [...words];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === '-') Object.assign(args, parseObject(readFileSync(0, 'utf8')));
    else if (word.startsWith('{')) Object.assign(args, parseObject(word));
    else if (word.startsWith('--')) {
      const [name = '', inline] = splitOnce(word.slice(2), '=');
      const path = name.split('.');
      const field = fieldAt(input, path);
      setPath(args, path, coerce(field, inline ?? valueAfter(name, field, rest)));
    } else {
      throw invalidInput([{ field: word, code: 'unexpected', message: 'is neither --field nor JSON' }]);
    }
  }
  return args;
}

/** The word that follows a flag. Only a boolean field may go without one: it is true then. Throws AppError invalid_input. */
function valueAfter(name: string, field: z.ZodTypeAny | undefined, rest: string[]): string {
  const next = rest[0];
  if (next !== undefined && !next.startsWith('--')) return rest.shift()!;
  if (field !== undefined && bare(field) instanceof z.ZodBoolean) return 'true';
  throw invalidInput(
    [{ field: name, code: 'required', message: 'needs a value' }],
    `${missingValue(`--${name}`, next)}.`,
  );
}

/** Takes an option of the command itself out of the words. It cannot be a field, for no field has a dash in its name. */
export function takeOption(words: readonly string[], option: string): { value: string | undefined; rest: string[] } {
  const at = words.findIndex((word) => word === option || word.startsWith(`${option}=`));
  if (at < 0) return { value: undefined, rest: [...words] };
  const inline = splitOnce(words[at] ?? '', '=')[1];
  const value = inline ?? words[at + 1];
  const problem = missingValue(option, inline === undefined ? value : inline && 'given');
  if (problem !== undefined)
    throw invalidInput([{ field: option, code: 'required', message: 'needs a value' }], `${problem}.`);
  return { value, rest: [...words.slice(0, at), ...words.slice(at + (inline === undefined ? 2 : 1))] };
}

export function takeFlag(words: readonly string[], spellings: readonly string[]): { isSet: boolean; rest: string[] } {
  const rest = words.filter((word) => !spellings.includes(word));
  return { isSet: rest.length < words.length, rest };
}

function splitOnce(text: string, separator: string): [string, string | undefined] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

function parseObject(json: string): object {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch (cause) {
    throw new AppError('invalid_input', `The arguments are not valid JSON: ${(cause as Error).message}`, { cause });
  }
  throw new AppError('invalid_input', 'The arguments must be one JSON object.');
}

function setPath(target: Record<string, unknown>, path: string[], value: unknown): void {
  const [head = '', ...rest] = path;
  if (rest.length === 0) target[head] = value;
  else setPath((target[head] ??= {}) as Record<string, unknown>, rest, value);
}

function fieldAt(schema: z.ZodTypeAny, path: string[]): z.ZodTypeAny | undefined {
  const [head, ...rest] = path;
  if (head === undefined) return schema;
  const object = bare(schema);
  const field = object instanceof z.ZodObject ? (object.shape as z.ZodRawShape)[head] : undefined;
  return field === undefined ? undefined : fieldAt(field, rest);
}

/** The schema without the wrappers that make it optional, nullable or filled in. */
function bare(schema: z.ZodTypeAny): z.ZodTypeAny {
  if (schema instanceof z.ZodDefault) return bare(schema.removeDefault() as z.ZodTypeAny);
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return bare(schema.unwrap() as z.ZodTypeAny);
  return schema;
}

/** A string stays one where the field is a string; anything else is read as JSON where it is JSON. */
function coerce(field: z.ZodTypeAny | undefined, value: string): unknown {
  const kind = field && bare(field);
  if (kind instanceof z.ZodString || kind instanceof z.ZodEnum)
    return value === 'null' && field?.isNullable() ? null : value;
  // People write ids as 4,7 or as 4 alone.
  if (kind instanceof z.ZodArray && !/^(?:\[|null$)/u.test(value))
    return value.split(',').map((item) => coerce(kind.element as z.ZodTypeAny, item));
  try {
    return JSON.parse(value);
  } catch {
    // A word that is not JSON is a text.
    return value;
  }
}
