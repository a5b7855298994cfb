/** The instants of a call: what the caller wrote becomes UTC, and what is refused is said by the clock that the caller reads. */
import { z } from 'zod/v3';
import { AppError, invalidInput, type FieldIssue } from '../../domain/base/errors.ts';
import { inZone, isInstantInput, readInstant } from '../../domain/time/instant.ts';
import type { Store } from '../../domain/ports/store.ts';
import { isTimezone } from '../../domain/time/zone.ts';

type Plain = Record<string, unknown>;
type Path = readonly string[];

const known = new WeakMap<z.ZodTypeAny, readonly Path[]>();

/** The paths of the instants of an input: names from the outermost field to the innermost. */
export function instantPaths(schema: z.ZodTypeAny): readonly Path[] {
  let paths = known.get(schema);
  if (paths === undefined) known.set(schema, (paths = pathsIn(schema)));
  return paths;
}

function pathsIn(schema: z.ZodTypeAny): Path[] {
  if (isInstantInput(schema)) return [[]];
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return pathsIn(schema.unwrap() as z.ZodTypeAny);
  if (schema instanceof z.ZodDefault) return pathsIn(schema.removeDefault() as z.ZodTypeAny);
  if (!(schema instanceof z.ZodObject)) return [];
  return Object.entries(schema.shape as z.ZodRawShape).flatMap(([name, field]) =>
    pathsIn(field).map((path) => [name, ...path]),
  );
}

export interface Read {
  input: Plain;
  /** Zone in which the caller has written; undefined: no instant was sent. */
  zone: string | undefined;
}

/** Throws AppError invalid_input with every local time that the clock skips or repeats. `input` has passed the schema. */
export async function readInstants(
  schema: z.ZodTypeAny,
  input: Plain,
  zoneOf: (input: Plain) => Promise<string>,
): Promise<Read> {
  const sent = instantPaths(schema).flatMap((path) => {
    const text = path.reduce<unknown>((inner, name) => (inner as Plain | undefined)?.[name], input);
    return typeof text === 'string' ? [{ path, text }] : [];
  });
  if (sent.length === 0) return { input, zone: undefined };
  const zone = await zoneOf(input);
  const issues: FieldIssue[] = [];
  const read: Read = { input, zone: undefined };
  for (const { path, text } of sent) {
    const found = readInstant(text, zone);
    if ('code' in found) issues.push({ field: path.join('.'), ...found });
    else {
      read.input = withValue(read.input, path, found.instant);
      read.zone ??= found.zone;
    }
  }
  if (issues.length > 0) throw invalidInput(issues);
  return read;
}

function withValue(input: Plain, [name, ...rest]: Path, value: string): Plain {
  if (name === undefined) return input;
  return { ...input, [name]: rest.length === 0 ? value : withValue(input[name] as Plain, rest, value) };
}

/** The zone whose clock is meant: that of the Schedule which the call makes or names, else that of the service. */
export async function zoneOfCall(store: Pick<Store, 'get'>, input: unknown, service: string): Promise<string> {
  const { timezone, scheduleId } = (input ?? {}) as { timezone?: unknown; scheduleId?: unknown };
  if (typeof timezone === 'string' && isTimezone(timezone)) return timezone;
  if (timezone === null || typeof scheduleId !== 'number') return service;
  return (await store.get('schedules', scheduleId))?.row.timezone ?? service;
}

/** The quoted parts are names, which stay as they are. */
const INSTANT = /"[^"]*"|\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/gu;

/** The text with its instants by the clock of `zone`, with their offsets. */
export function textInZone(text: string, zone: string): string {
  return text.replace(INSTANT, (found) => {
    const shown = found.startsWith('"') ? found : inZone(found, zone);
    return shown.endsWith('Z') ? found : shown;
  });
}

export function hasInstant({ message }: AppError): boolean {
  return /T\d\d:\d\d:\d\d(?:\.\d+)?Z/u.test(message);
}

/** The refusal as the caller reads the clock. */
export function refusalInZone(error: AppError, zone: string): AppError {
  const message = textInZone(error.message, zone);
  if (message === error.message) return error;
  const errors = error.extras.errors?.map((issue) => ({ ...issue, message: textInZone(issue.message, zone) }));
  return new AppError(error.code, message, { ...error.extras, ...(errors && { errors }) });
}
