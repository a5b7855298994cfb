/** What differs in a row, and what a row is about, field by field and fit to be read: secrets hidden, long values cut, ids by their names. */
import { COLLECTIONS, type ResidentName } from '../../domain/collections.ts';
import { isSecretField } from '../../domain/rules/stored-secrets.ts';
import { isPlain, maskDeliveryUrl } from '../../domain/schema.ts';
import type { View } from '../../domain/store.ts';
import { stripInvisible } from '../output/visible.ts';
import { duration, say } from '../subjects/workflow.ts';

/** `before` and `after` are words; left out: nothing to compare with, or a secret. */
export interface PlannedField {
  field: string;
  before?: string;
  after?: string;
}

type Fields = Readonly<Record<string, unknown>>;

/** Kept by the service itself. */
const STAMPS = new Set(['id', 'created_at', 'updated_at', 'created_by']);
const MEASURES = ['duration_seconds', 'size_bytes'];
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d[\d:.]*Z$/u;
const MAX_LENGTH = 60;

/** `publishingGroups` → `Publishing group`. */
export function nounOf(collection: ResidentName): string {
  const words = collection
    .replace(/ies$/u, 'y')
    .replace(/s$/u, '')
    .replace(/([a-z])([A-Z])/gu, (_both, before: string, after: string) => `${before} ${after.toLowerCase()}`);
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`.replace(/^Livestream/u, 'Live stream');
}

export function nameOf(row: object | undefined): string | null {
  const { name, filename, username, client } = (row ?? {}) as Record<string, string | undefined>;
  return name ?? filename ?? username ?? client ?? null;
}

/** From what to what. */
export function differences(view: View, before: Fields, after: Fields, path = ''): PlannedField[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((name) => !STAMPS.has(name));
  return names.flatMap((name) => {
    const [was, is] = [before[name], after[name]];
    if (JSON.stringify(was ?? null) === JSON.stringify(is ?? null)) return [];
    const whole = `${path}${name}`;
    if (isSecretField(name)) return [{ field: whole.replace(/_hash$/u, '') }];
    if (isPlain(is) && (isPlain(was) || was == null)) return differences(view, was ?? {}, is, `${whole}.`);
    const field = referenceOf(name, is ?? was);
    const told = { before: valueOf(view, name, was), after: valueOf(view, name, is) };
    // Lists of one length are told alike.
    return [{ field: field === undefined ? whole : nounOf(field), ...(told.before !== told.after && told) }];
  });
}

/** What a row is bound to, and when it is. */
export function bearings(view: View, row: Fields): PlannedField[] {
  return Object.entries(row)
    .filter(([name, value]) => !STAMPS.has(name) && (isInstant(value) || referenceOf(name, value) !== undefined))
    .map(([name, value]) => stated(view, name, value));
}

/** How much there is of it. */
export function measures(view: View, row: Fields): PlannedField[] {
  return MEASURES.filter((name) => typeof row[name] === 'number').map((name) => stated(view, name, row[name]));
}

/** All that is asked, in lists as well. */
export function asked(view: View, body: Fields): PlannedField[] {
  return Object.entries(body).flatMap(([name, value]) => {
    if (isSecretField(name)) return [{ field: name }];
    const inner = Array.isArray(value) ? value.filter(isPlain) : isPlain(value) ? [value] : [];
    if (inner.length > 0) return inner.flatMap((each) => asked(view, each));
    return value == null ? [] : [stated(view, name, value)];
  });
}

/** `name from "Show" to "News"`; `Channel "Cam"`; `settings.stream_key replaced`. */
export function sayField({ field, before, after }: PlannedField): string {
  if (after === undefined) return `${field} replaced`;
  return before === undefined ? `${field} ${after}` : `${field} from ${before} to ${after}`;
}

function stated(view: View, name: string, value: unknown): PlannedField {
  const reference = referenceOf(name, value);
  const field = reference === undefined ? name.replace(/_(?:seconds|bytes)$/u, '') : nounOf(reference);
  return { field, after: valueOf(view, name, value) };
}

/** The collection that a field's number is an id of. */
function referenceOf(name: string, value: unknown): ResidentName | undefined {
  const collection = name === 'idEncoderGroup' ? 'deviceGroups' : name.replace(/Id$/u, 's');
  const isReference = typeof value === 'number' && collection !== name && Object.hasOwn(COLLECTIONS, collection);
  return isReference ? (collection as ResidentName) : undefined;
}

function valueOf(view: View, name: string, value: unknown): string {
  const reference = referenceOf(name, value);
  if (reference !== undefined) {
    const known = nameOf(view.get(reference, value as number));
    return known === null ? String(value as number) : `"${say(known)}"`;
  }
  if (value === null || value === undefined || value === '') return 'none';
  if (typeof value === 'number') return measured(name, value);
  if (typeof value === 'string') return isInstant(value) ? value : quoted(value);
  if (!Array.isArray(value)) return typeof value === 'boolean' ? String(value) : 'a new one';
  return value.every((item) => typeof item !== 'object') ? quoted(value.join(', ')) : `${value.length} entries`;
}

function measured(name: string, value: number): string {
  if (name === 'duration_seconds') return duration(value);
  return name === 'size_bytes' ? `${Math.ceil(value / 1e6)} MB` : String(value);
}

function quoted(text: string): string {
  const plain = stripInvisible(text.includes('://') ? maskDeliveryUrl(text) : text)
    .replace(/\s+/gu, ' ')
    .trim();
  return `"${plain.length > MAX_LENGTH ? `${plain.slice(0, MAX_LENGTH)}…` : plain}"`;
}

function isInstant(value: unknown): boolean {
  return typeof value === 'string' && INSTANT.test(value);
}
