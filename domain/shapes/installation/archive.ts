/** How far audit entries and events are archived: a row for each of them. */
import { z } from 'zod/v3';
import { idField, instantField } from '../../base/schema.ts';

export const ARCHIVED = ['audit', 'events'] as const;
/** A collection of history that ONAIR_ARCHIVE keeps. */
export type ArchivedName = (typeof ARCHIVED)[number];

/** Rows that make one object: their ids follow one another, and the day (UTC) is the one that they are filed under. */
const archiveRange = z
  .object({
    day: z.string().regex(/^\d{4}-\d{2}-\d{2}$/u),
    from_id: z.number().int().positive(),
    to_id: z.number().int().positive(),
  })
  .strict();
export type ArchiveRange = z.infer<typeof archiveRange>;

/** Object key below the prefix, number of rows, and size and SHA-256 of the gzip file. */
const archivedObject = z
  .object({
    key: z.string(),
    rows: z.number().int().positive(),
    bytes: z.number().int().positive(),
    sha256: z.string(),
    archived_at: instantField,
  })
  .strict();
export type ArchivedObject = z.infer<typeof archivedObject>;

export const archiveState = z
  .object({
    id: idField,
    collection: z.enum(ARCHIVED),
    /** Rows up to this id are archived; 0: none. */
    through_id: z.number().int().nonnegative(),
    /** The day under which the last of them are filed; null: none. */
    through_day: archiveRange.shape.day.nullable(),
    /** It is noted before it is sent, so that a server which takes over sends the same object again, and no other. */
    sending: archiveRange.nullable(),
    last: archivedObject.nullable(),
    /** null: the last attempt succeeded. */
    failing: z.object({ since: instantField, reason: z.string() }).strict().nullable(),
  })
  .strict();
export type ArchiveState = z.infer<typeof archiveState>;
