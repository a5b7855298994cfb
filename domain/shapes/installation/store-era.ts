/**
 * How a store that went back is noticed: each start of a server begins an era, and who is told of the store (the servers, the Devices) keeps a
 * mark of what it was told last, outside of it. A mark that the eras do not lead to was made by commits that the store has lost.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod/v3';
import { idField, instantField } from '../../base/schema.ts';

const count = z.number().int().nonnegative();
const nextIds = z.record(count);

export const restoredFields = z
  .object({
    noticed_at: instantField.describe('When it was noticed.'),
    noticed_by: z
      .string()
      .describe('The server or Device that knew more than the store, or the command that restored it.'),
    restored_to: instantField.nullable().describe('Instant of the newest event that the store had; null: not known.'),
    seen_until: instantField
      .nullable()
      .describe('What was committed until then is lost; null: it was restored by a command.'),
    acknowledged_at: instantField.nullable().describe('When a person had looked at it.'),
    acknowledged_by: z.string().nullable().describe('Who had.'),
    /** Places whose runs were taken over as they are, as control/locations.ts numbers them. */
    places: z.array(z.number().int()),
    /** Live streams that were being stopped as of the restored store. */
    stopping: z.array(idField),
    /** Runs on Devices that the store has no row for. */
    left: z.array(z.string()),
  })
  .strict();

export const storeEra = z
  .object({
    id: idField,
    created_at: instantField,
    era: z.string(),
    /** The next ids when it began. */
    next: nextIds,
    /** Set where the store went back before it began. */
    restored: restoredFields.nullable(),
    /** A person has not looked at that yet. */
    waiting: z.boolean(),
  })
  .strict();
export type StoreEra = z.infer<typeof storeEra>;
export type Restored = z.infer<typeof restoredFields>;

const storeMark = z.object({ at: instantField, eraId: idField, era: z.string(), next: nextIds }).strict();
/** The state of the store of which somebody heard last. */
export type StoreMark = z.infer<typeof storeMark>;

/** undefined for what is no mark. */
export function parseMark(value: unknown): StoreMark | undefined {
  const parsed = storeMark.safeParse(value);
  return parsed.success ? parsed.data : undefined;
}

/** Every order of a run adds events, and every change by a person is in the audit: nothing that counts is lost without a gap in these. */
const COUNTED = ['events', 'audit'] as const;

export function isBeyond(mark: Pick<StoreMark, 'next'>, next: Readonly<Record<string, number>>): boolean {
  return COUNTED.some((name) => (mark.next[name] ?? 0) > (next[name] ?? 0));
}

/**
 * The era before which the store left the line of the mark; undefined when it has all that the mark has seen. `eras` are in the order of their
 * ids, the last one that of now, with `next` ids.
 */
export function eraBehind(
  mark: StoreMark,
  eras: readonly Readonly<StoreEra>[],
  next: Readonly<Record<string, number>>,
): Readonly<StoreEra> | undefined {
  const at = eras.findIndex(({ id }) => id === mark.eraId);
  const last = eras.at(-1);
  const [first] = eras;
  if (first === undefined || last === undefined || mark.eraId < first.id) return undefined;
  if (eras[at]?.era === mark.era) {
    const after = eras[at + 1];
    return isBeyond(mark, after?.next ?? next) ? (after ?? last) : undefined;
  }
  // The mark's own era is lost. Whatever has begun since it was made is behind the restore.
  return eras.find(({ created_at }) => created_at > mark.at) ?? last;
}

/** A text that is kept outside of the store, and that nobody can change, or take for one of another store. */
export function seal(key: string, value: unknown): string {
  const text = Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${text}.${signatureOf(key, text)}`;
}

/** undefined when it was not sealed with this key. */
export function unseal(key: string, sealed: unknown): unknown {
  if (typeof sealed !== 'string') return undefined;
  const [text = '', given = ''] = sealed.split('.');
  const own = Buffer.from(signatureOf(key, text));
  const other = Buffer.from(given);
  if (own.length !== other.length || !timingSafeEqual(own, other)) return undefined;
  return JSON.parse(Buffer.from(text, 'base64url').toString()) as unknown;
}

function signatureOf(key: string, text: string): string {
  return createHmac('sha256', key).update(`mark\n${text}`).digest('base64url');
}
