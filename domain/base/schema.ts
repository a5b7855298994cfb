/**
 * Builds a resource's schemas: one set of writable fields gives the create, update and output shapes. Everything uses zod/v3: its JSON
 * Schema is a third of the size that zod 4 gives, and the converter reads only this one.
 */
import { z } from 'zod/v3';
import './code-points.ts';
import { maskPath } from './path-secrets.ts';

/** Longer invalid values are cut to this length in messages. */
const MAX_INSTANT = 40;
const CONTROL_CHARACTERS = /^[^\u0000-\u001f\u007f]*$/u;
const NO_CONTROL = 'must not contain control characters';

export function wordField(max: number): z.ZodString {
  return z.string().trim().min(1).max(max).regex(CONTROL_CHARACTERS, NO_CONTROL);
}

export const nameField = wordField(100).describe('Name, 1-100 characters, unique.');
/** In the files and requests that carry a secret, a line break would begin a line of its own. */
export function secretField(min: number, max: number): z.ZodString {
  const text = min === 0 ? z.string() : z.string().min(min);
  return text.max(max).regex(CONTROL_CHARACTERS, NO_CONTROL);
}

/** Makes the same check for a secret that no schema has seen, in an address or a row of an earlier version. */
export function controlIssue(text: string): string | undefined {
  return CONTROL_CHARACTERS.test(text) ? undefined : NO_CONTROL;
}

export const descriptionField = z.string().max(255).describe('Free text.');
export const idField = z.number().int().positive();
/** The finding repeats the value, because the expected form alone does not show whether the day or the zone is wrong. */
export const instantField = z
  .string({
    errorMap: (issue, { data, defaultError }) => {
      if (issue.code !== z.ZodIssueCode.invalid_string) return { message: defaultError };
      const text = JSON.stringify(String(data).slice(0, MAX_INSTANT));
      return { message: `must be an instant such as 2026-01-31T20:00:00Z, not ${text}` };
    },
  })
  .datetime()
  .describe('ISO 8601 UTC instant.');

export function reference(resource: string): z.ZodNumber {
  return idField.describe(`Id of the ${resource}.`);
}

/** Columns that every resource carries. */
export const stampFields = {
  id: idField.describe('Id, allotted by the service, never reused.'),
  created_at: instantField,
  updated_at: instantField,
};

type Shape = z.ZodRawShape;

/**
 * The update twin of a create shape: every field optional, defaults removed (a default would overwrite what is stored), nested
 * objects likewise. Arrays are replaced whole. Merge semantics: RFC 7396, with null for nullable fields only.
 */
export function toPartial<S extends Shape>(shape: S): z.ZodObject<{ [K in keyof S]: z.ZodOptional<S[K]> }, 'strict'> {
  const partial: Shape = {};
  for (const [key, field] of Object.entries(shape)) partial[key] = withoutDefaults(field).optional();
  return z.object(partial).strict() as never;
}

function withoutDefaults(field: z.ZodTypeAny): z.ZodTypeAny {
  const description = field.description;
  let bare: z.ZodTypeAny = field;
  let nullable = false;
  while (bare instanceof z.ZodDefault || bare instanceof z.ZodOptional || bare instanceof z.ZodNullable) {
    if (bare instanceof z.ZodDefault) bare = bare.removeDefault() as z.ZodTypeAny;
    else {
      if (bare instanceof z.ZodNullable) nullable = true;
      bare = bare.unwrap() as z.ZodTypeAny;
    }
  }
  if (bare instanceof z.ZodObject) bare = toPartial(bare.shape as Shape);
  if (nullable) bare = bare.nullable();
  return description === undefined ? bare : bare.describe(description);
}

type Plain = Record<string, unknown>;

/** True for an object of named fields; false for a list and null. */
export function isPlain(value: unknown): value is Plain {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** RFC 7396 merge for nested objects; a null that a nullable field accepted stays a null. Never mutates its arguments. */
export function mergePatch<T>(present: T, patch: object): T {
  // A map and not an object, where the name __proto__ would be that of the prototype.
  const merged = new Map(Object.entries(present as Plain));
  for (const [key, value] of Object.entries(patch)) {
    if (value === undefined) continue;
    const before = merged.get(key);
    merged.set(key, isPlain(value) && isPlain(before) ? mergePatch(before, value) : value);
  }
  return Object.fromEntries(merged) as T;
}

/** Last four characters of a secret, the rest hidden; short secrets are hidden whole. */
export function maskSecret(secret: string): string {
  return secret.length > 8 ? `****${secret.slice(-4)}` : '****';
}

/**
 * Hides a URL's user-info (up to the last @ of the authority, since a password may hold one), every query value, a query word without a
 * value, the fragment, and token-like text in the path; the rest shows where, never with what.
 */
export function maskUrl(url: string): string {
  return url
    .replace(
      /^([a-z][a-z0-9+.-]*:\/\/[^/?#]*)([^?#]*)/iu,
      (_whole, before: string, path: string) => before + maskPath(path),
    )
    .replace(/#.*$/su, '#****')
    .replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]+@/iu, '$1****@')
    .replace(/([?&])([^=&#]+)(=?)[^&#]*/gu, (part, mark: string, name: string, equals: string) => {
      if (isOfBucket(url, part)) return part;
      return equals === '' ? `${mark}****` : `${mark}${maskPath(name)}=****`;
    });
}

/** The options of a bucket's address say where it is; whoever needs the address needs them. */
function isOfBucket(url: string, part: string): boolean {
  return (
    /^s3:/iu.test(url) && /^.(?:endpoint=[a-z0-9.:/%_[\]-]*|region=[a-z0-9-]*|path_style=(?:true|false))$/iu.test(part)
  );
}

/** Does the same as maskUrl, and hides the part after the application in an RTMP delivery URL, where many users paste the stream key. */
export function maskDeliveryUrl(url: string): string {
  return maskUrl(url).replace(/^(rtmps?:\/\/[^/]+\/[^/?]+\/)[^?]+/iu, '$1****');
}

/** Answers why a value that was answered masked, and then edited, cannot be stored; undefined when it carries no mask. */
export function maskIssue(value: string | null | undefined): string | undefined {
  return value?.includes('****')
    ? 'holds **** in place of a secret; send the whole value, or leave the field out to keep it'
    : undefined;
}
