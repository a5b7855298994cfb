/**
 * A quick check whether a schema would answer a value unchanged. zod builds a second object beside each one that it checks, which costs more
 * than everything else in a read. A no proves nothing, and zod decides then. The figures are in docs/decisions/output-caches.md.
 */
import { z } from 'zod/v3';
import { codePoints } from '../../domain/base/code-points.ts';
import { factsOf } from './views.ts';

/** True only when `schema.parse(value)` succeeds and its answer equals `value`. */
export type Fit = (value: unknown) => boolean;

const compiled = new WeakMap<z.ZodTypeAny, Fit>();

export function fitOf(schema: z.ZodTypeAny): Fit {
  let fit = compiled.get(schema);
  if (fit === undefined) {
    fit = compile(schema);
    compiled.set(schema, fit);
  }
  return fit;
}

const never: Fit = () => false;

function compile(schema: z.ZodTypeAny): Fit {
  if (schema instanceof z.ZodObject) return objectFit(schema as z.AnyZodObject);
  if (schema instanceof z.ZodArray) return arrayFit(schema as z.ZodArray<z.ZodTypeAny>);
  if (schema instanceof z.ZodString) return stringFit(schema);
  if (schema instanceof z.ZodNumber) return numberFit(schema);
  if (schema instanceof z.ZodBoolean) return (value) => typeof value === 'boolean';
  if (schema instanceof z.ZodNull) return (value) => value === null;
  if (schema instanceof z.ZodUnknown || schema instanceof z.ZodAny) return () => true;
  if (schema instanceof z.ZodLiteral) {
    const wanted: unknown = schema._def.value;
    return (value) => value === wanted;
  }
  if (schema instanceof z.ZodEnum) {
    const words = new Set<unknown>(schema.options as unknown[]);
    return (value) => words.has(value);
  }
  if (schema instanceof z.ZodNullable) {
    const inner = fitOf(schema.unwrap() as z.ZodTypeAny);
    return (value) => value === null || inner(value);
  }
  if (schema instanceof z.ZodOptional) {
    const inner = fitOf(schema.unwrap() as z.ZodTypeAny);
    return (value) => value === undefined || inner(value);
  }
  if (schema instanceof z.ZodDefault) {
    // A value that is left out gets its default, and so does not stay unchanged.
    const inner = fitOf(schema.removeDefault() as z.ZodTypeAny);
    return (value) => value !== undefined && inner(value);
  }
  if (schema instanceof z.ZodUnion) return unionFit(schema.options as readonly z.ZodTypeAny[]);
  return never;
}

function objectFit(schema: z.AnyZodObject): Fit {
  if (schema._def.unknownKeys === 'passthrough' || !(schema._def.catchall instanceof z.ZodNever)) return never;
  const fields = Object.entries(schema.shape as z.ZodRawShape).map(([name, field]) => ({ name, fits: fitOf(field) }));
  const known = new Set(fields.map(({ name }) => name));
  const fit: Fit = (value) => {
    if (!isPlain(value)) return false;
    const facts = factsOf(value);
    if (facts?.fit === fit) return true;
    for (const { name, fits } of fields) if (!fits(value[name])) return false;
    for (const name in value) if (!known.has(name)) return false;
    if (facts !== undefined) facts.fit = fit;
    return true;
  };
  return fit;
}

/** An instance of a class may hide fields in its prototype, which zod would copy. */
function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

function arrayFit(schema: z.ZodArray<z.ZodTypeAny>): Fit {
  const element = fitOf(schema.element);
  const { minLength, maxLength, exactLength } = schema._def;
  const least = exactLength?.value ?? minLength?.value ?? 0;
  const most = exactLength?.value ?? maxLength?.value ?? Infinity;
  return (value) => {
    if (!Array.isArray(value) || value.length < least || value.length > most) return false;
    for (const item of value) if (!element(item)) return false;
    return true;
  };
}

/** Only unions of scalars can fit: among objects an earlier option might take the value and change it. */
function unionFit(options: readonly z.ZodTypeAny[]): Fit {
  const scalar = (option: z.ZodTypeAny): boolean =>
    [z.ZodLiteral, z.ZodNull, z.ZodBoolean, z.ZodEnum].some((kind) => option instanceof kind);
  if (!options.every(scalar)) return never;
  const fits = options.map(fitOf);
  return (value) => fits.some((fit) => fit(value));
}

/** Every month has these days; other days must survive a round trip. zod compiles its own pattern anew for each instant. */
const PLAIN_INSTANT = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?Z$/u;

function isInstant(text: string): boolean {
  if (PLAIN_INSTANT.test(text)) return true;
  const ms = Date.parse(text);
  return !Number.isNaN(ms) && new Date(ms).toISOString() === text;
}

function stringFit(schema: z.ZodString): Fit {
  const checks = schema._def.checks.map((check): ((text: string) => boolean) | undefined => {
    if (check.kind === 'min') return (text) => text.length >= check.value && codePoints(text) >= check.value;
    if (check.kind === 'max') return (text) => text.length <= check.value || codePoints(text) <= check.value;
    if (check.kind === 'trim') return (text) => text.trim() === text;
    if (check.kind === 'regex' && !/[gy]/u.test(check.regex.flags)) return (text) => check.regex.test(text);
    if (check.kind === 'datetime' && check.precision === null) return isInstant;
    return undefined;
  });
  const known = checks.filter((check) => check !== undefined);
  if (known.length < checks.length) return leafFit(schema);
  return (value) => {
    if (typeof value !== 'string') return false;
    for (const check of known) if (!check(value)) return false;
    return true;
  };
}

function numberFit(schema: z.ZodNumber): Fit {
  const checks = schema._def.checks.map((check): ((number: number) => boolean) | undefined => {
    if (check.kind === 'int') return Number.isInteger;
    if (check.kind === 'min') return (number) => (check.inclusive ? number >= check.value : number > check.value);
    if (check.kind === 'max') return (number) => (check.inclusive ? number <= check.value : number < check.value);
    return undefined;
  });
  const known = checks.filter((check) => check !== undefined);
  if (known.length < checks.length) return leafFit(schema);
  return (value) => {
    if (typeof value !== 'number' || Number.isNaN(value)) return false;
    for (const check of known) if (!check(value)) return false;
    return true;
  };
}

/** A scalar with rules that only zod knows. */
function leafFit(schema: z.ZodTypeAny): Fit {
  return (value) => {
    const parsed = schema.safeParse(value);
    return parsed.success && Object.is(parsed.data, value);
  };
}
