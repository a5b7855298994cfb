/** The fields of a planned change, fit to be read: secrets are hidden, long values are cut, and ids stand by their names. */
import { COLLECTIONS, type ResidentName } from '../../domain/ports/collections.ts';
import { isSecretField } from '../../domain/rules/rows/stored-secrets.ts';
import { isPlain, maskDeliveryUrl } from '../../domain/base/schema.ts';
import type { View } from '../../domain/ports/store.ts';
import { stripInvisible } from '../output/visible.ts';
import { duration, say, sentence, type Sentence } from '../sentence.ts';

/** `before` and `after` are words; they are left out where there is nothing to compare with, and for a secret. */
export interface PlannedField {
  field: string;
  before?: string;
  after?: string;
}

/** A planned field with the names that people gave and that stand in its words. */
export interface FieldWords {
  field: string;
  before?: Sentence;
  after?: Sentence;
}

type Fields = Readonly<Record<string, unknown>>;

/** The service itself writes these fields. */
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

/** The fields in which two versions of a row differ, each with both values. */
export function differences(view: View, before: Fields, after: Fields, path = ''): FieldWords[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((name) => !STAMPS.has(name));
  return names.flatMap((name) => {
    const [was, is] = [before[name], after[name]];
    if (JSON.stringify(was ?? null) === JSON.stringify(is ?? null)) return [];
    const whole = `${path}${name}`;
    if (isSecretField(name)) return [{ field: whole.replace(/_hash$/u, '') }];
    if (isPlain(is) && (isPlain(was) || was == null)) return differences(view, was ?? {}, is, `${whole}.`);
    const field = referenceOf(name, is ?? was);
    const words = { before: valueOf(view, name, was), after: valueOf(view, name, is) };
    // Two lists of one length have the same words, which would say that nothing changes.
    const differs = words.before.text !== words.after.text;
    return [{ field: field === undefined ? whole : nounOf(field), ...(differs && words) }];
  });
}

/** The references and the instants of a row: what it is bound to, and when it happens. */
export function bearings(view: View, row: Fields): FieldWords[] {
  return Object.entries(row)
    .filter(([name, value]) => !STAMPS.has(name) && (isInstant(value) || referenceOf(name, value) !== undefined))
    .map(([name, value]) => stated(view, name, value));
}

/** The length and the size of a row's media. */
export function measures(view: View, row: Fields): FieldWords[] {
  return MEASURES.filter((name) => typeof row[name] === 'number').map((name) => stated(view, name, row[name]));
}

/** Every value of a requested change, those in lists as well. */
export function requestedFields(view: View, body: Fields): FieldWords[] {
  return Object.entries(body).flatMap(([name, value]) => {
    if (isSecretField(name)) return [{ field: name }];
    const inner = Array.isArray(value) ? value.filter(isPlain) : isPlain(value) ? [value] : [];
    if (inner.length > 0) return inner.flatMap((each) => requestedFields(view, each));
    return value == null ? [] : [stated(view, name, value)];
  });
}

/** `name from "Show" to "News"`; `Channel "Cam"`; `settings.stream_key replaced`. */
export function sayField({ field, before, after }: FieldWords): Sentence {
  if (after === undefined) return sentence`${field} replaced`;
  return before === undefined ? sentence`${field} ${after}` : sentence`${field} from ${before} to ${after}`;
}

export function plainField({ field, before, after }: FieldWords): PlannedField {
  return { field, ...(before && { before: before.text }), ...(after && { after: after.text }) };
}

function stated(view: View, name: string, value: unknown): FieldWords {
  const reference = referenceOf(name, value);
  const field = reference === undefined ? name.replace(/_(?:seconds|bytes)$/u, '') : nounOf(reference);
  return { field, after: valueOf(view, name, value) };
}

/** The collection whose ids the field holds. */
function referenceOf(name: string, value: unknown): ResidentName | undefined {
  const collection = name === 'idEncoderGroup' ? 'deviceGroups' : name.replace(/Id$/u, 's');
  const isReference = typeof value === 'number' && collection !== name && Object.hasOwn(COLLECTIONS, collection);
  return isReference ? (collection as ResidentName) : undefined;
}

function valueOf(view: View, name: string, value: unknown): Sentence {
  const reference = referenceOf(name, value);
  if (reference === undefined) return sentence`${plainValue(name, value)}`;
  const known = nameOf(view.get(reference, value as number));
  return known === null ? sentence`${value as number}` : say(known);
}

function plainValue(name: string, value: unknown): string {
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
