/** References as people say them: an id, or a name in its place. */
import { z } from 'zod/v3';
import type { CollectionRows } from '../../domain/ports/collections.ts';
import { notFound } from '../../domain/base/errors.ts';
import { takeRow, type Question } from '../input/resolve.ts';
import type { ToolContext } from '../tool.ts';

/** An id as the operations take it, or a name as people say it. */
export const idOrName = z.union([z.number().int().positive(), z.string().trim().min(1).max(100)]);
export type Reference = z.infer<typeof idOrName>;

export const deviceField = idOrName.optional().describe('Or Device id or name.');
export const groupField = idOrName.optional().describe('Or Device group id or name.');

export type Reader = Pick<ToolContext, 'store' | 'request'>;

/** For each kind of row the API's noun and the field that refers to it. */
const REFERRED = {
  channels: ['Channel', 'channelId'],
  devices: ['Device', 'deviceId'],
  deviceGroups: ['Device group', 'idEncoderGroup'],
  encodings: ['Encoding', 'encodingId'],
  encodingGroups: ['Encoding group', 'encodingGroupId'],
  publishings: ['Publishing', 'publishingId'],
  publishingGroups: ['Publishing group', 'publishingGroupId'],
} as const;

export function questionOf(
  { request }: Pick<Reader, 'request'>,
  field: string,
  noun: string,
  wanted: string,
): Required<Question> {
  return { wanted, noun, from: { request, field } };
}

/** The id that is meant. An id goes on as it is, because its row is checked where the id is used. Throws as takeRow does. */
export async function takeId(
  asker: Reader,
  collection: keyof typeof REFERRED,
  reference: Reference | undefined,
  /** The path of the field, where it is another than that of the row. */
  path?: string,
): Promise<number | undefined> {
  if (typeof reference !== 'string') return reference;
  const [noun, field] = REFERRED[collection];
  return (await takeRow(asker, collection, questionOf(asker, path ?? field, noun, reference))).id;
}

/** The row that is meant, by id or name. Throws AppError not_found, and as takeRow does. */
export async function takeReferred<C extends keyof typeof REFERRED>(
  asker: Reader,
  collection: C,
  reference: Reference,
  path?: string,
): Promise<Readonly<CollectionRows[C]>> {
  const id = (await takeId(asker, collection, reference, path))!;
  const row = (await asker.store.get(collection, id))?.row;
  if (row === undefined) throw notFound(REFERRED[collection][0], id);
  return row;
}
