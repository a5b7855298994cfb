/** The shared parts of the operations that make Assets: the way from a received file to its row. */
import type { Asset } from '../../domain/shapes/media/asset.ts';
import type { AssetQuota, ReceivedAsset } from '../../domain/ports/control.ts';
import { ruleViolated } from '../../domain/base/errors.ts';
import { assetConflict } from '../../domain/rules/media/asset.ts';
import type { Tx } from '../../domain/ports/store.ts';
import type { Answer, ToolContext } from '../tool.ts';

type Names = Pick<Asset, 'fileType' | 'filename'>;

/** Runs before a long upload or cut. Throws AppError conflict when the name is taken, rule_violated when the quota is used up. */
export async function assertFree(
  { store, control }: Pick<ToolContext, 'store' | 'control'>,
  { fileType, filename }: Names,
): Promise<void> {
  const { total } = await store.find('assets', { where: { fileType, filename }, limit: 1 });
  if (total > 0) throw assetConflict(fileType, filename);
  assertQuota((await store.find('assets', {})).rows, 0, control.assetFiles.quota);
}

/** Throws AppError rule_violated when one more Asset of this size exceeds the quota. */
function assertQuota(present: readonly Readonly<Asset>[], sizeBytes: number, { count, bytes }: AssetQuota): void {
  const used = present.reduce((sum, { size_bytes }) => sum + size_bytes, 0);
  const isOver = bytes !== undefined && used + Math.max(sizeBytes, 1) > bytes;
  if (!isOver && (count === undefined || present.length < count)) return;
  const [limit, usage] = isOver
    ? [
        `${bytes} bytes (ONAIR_ASSET_MAX_BYTES)`,
        `${used} bytes are used${sizeBytes > 0 ? `, this one has ${sizeBytes}` : ''}`,
      ]
    : [`${count} Assets (ONAIR_ASSET_MAX_COUNT)`, `there are ${present.length}`];
  const message = `is more than the quota: ${usage}, and the limit is ${limit}`;
  throw ruleViolated(
    `The quota of Assets is used up: ${usage}, and the limit is ${limit}. Delete Assets that are not needed.`,
    [{ field: 'file', code: 'quota', message, max: isOver ? bytes : count }],
  );
}

/**
 * The requested name, or the proposed one, which gets a number where there is one like it already (`clip.mp4`, `clip-2.mp4`). Throws
 * AppError conflict.
 */
export async function chosenNames(
  ctx: Pick<ToolContext, 'store' | 'control'>,
  fileType: Asset['fileType'],
  requested: string | undefined,
  proposed: string,
): Promise<Names> {
  if (requested !== undefined) {
    await assertFree(ctx, { fileType, filename: requested });
    return { fileType, filename: requested };
  }
  const dot = proposed.lastIndexOf('.');
  for (let number = 1; ; number += 1) {
    const filename = number === 1 ? proposed : `${proposed.slice(0, dot)}-${number}${proposed.slice(dot)}`;
    const { total } = await ctx.store.find('assets', { where: { fileType, filename }, limit: 1 });
    if (total > 0) continue;
    await assertFree(ctx, { fileType, filename });
    return { fileType, filename };
  }
}

/** Stores the file first, then the row. A failure in between leaves neither. Throws AppError conflict. */
export function keepAsset<T>(
  ctx: Pick<ToolContext, 'control' | 'commit'>,
  received: ReceivedAsset,
  names: Names,
  answer: (row: Readonly<Asset>, tx: Tx, now: string) => T,
): Promise<Answer<T>> {
  return keepFile(ctx, received, names, () =>
    ctx.commit((tx, now) => {
      const row = insertAsset(ctx, tx, now, received, names);
      return { body: answer(row, tx, now), version: row.id };
    }),
  );
}

/** Gives the file its name for the commit of its row, and takes it back when that fails. Throws AppError conflict. */
export async function keepFile<T>(
  { control }: Pick<ToolContext, 'control'>,
  received: ReceivedAsset,
  { fileType, filename }: Names,
  commitRow: () => Promise<T>,
): Promise<T> {
  try {
    if (!(await received.keep())) throw assetConflict(fileType, filename);
  } catch (error) {
    await received.discard();
    throw error;
  }
  try {
    return await commitRow();
  } catch (error) {
    await control.assetFiles.remove(fileType, filename, received.media_key);
    throw error;
  }
}

/** Throws AppError rule_violated when the quota is used up. */
export function insertAsset(
  { control }: Pick<ToolContext, 'control'>,
  tx: Tx,
  now: string,
  { size_bytes, content_type, duration_seconds, width, height, media_key }: Omit<ReceivedAsset, 'keep' | 'discard'>,
  { fileType, filename }: Names,
): Readonly<Asset> {
  assertQuota(tx.find('assets', {}).rows, size_bytes, control.assetFiles.quota);
  const facts = { filename, fileType, size_bytes, content_type, duration_seconds, width, height };
  const row = tx.insert('assets', { ...facts, created_at: now, updated_at: now });
  if (media_key !== undefined) tx.insert('mediaKeys', { id: row.id, key: media_key });
  return row;
}
