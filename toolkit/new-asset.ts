/** What the operations that make Assets share: from a file that was received to the row that names it. */
import type { Asset } from '../domain/asset.ts';
import type { ReceivedAsset } from '../domain/control.ts';
import { assetConflict } from '../domain/resources/asset.ts';
import type { Tx } from '../domain/store.ts';
import type { Answer, ToolContext } from './tool.ts';

type Names = Pick<Asset, 'fileType' | 'filename'>;

/** Before a long upload or cut. Throws AppError conflict. */
export async function assertFree({ store }: Pick<ToolContext, 'store'>, { fileType, filename }: Names): Promise<void> {
  const { total } = await store.find('assets', { where: { fileType, filename }, limit: 1 });
  if (total > 0) throw assetConflict(fileType, filename);
}

/**
 * The name asked for, or the one that was made up: that gets a number where there is one like it already (`clip.mp4`, `clip-2.mp4`).
 * Throws AppError conflict.
 */
export async function chosenNames(
  ctx: Pick<ToolContext, 'store'>,
  fileType: Asset['fileType'],
  asked: string | undefined,
  madeUp: string,
): Promise<Names> {
  if (asked !== undefined) {
    await assertFree(ctx, { fileType, filename: asked });
    return { fileType, filename: asked };
  }
  const dot = madeUp.lastIndexOf('.');
  for (let number = 1; ; number += 1) {
    const filename = number === 1 ? madeUp : `${madeUp.slice(0, dot)}-${number}${madeUp.slice(dot)}`;
    const { total } = await ctx.store.find('assets', { where: { fileType, filename }, limit: 1 });
    if (total === 0) return { fileType, filename };
  }
}

/** File first, then row; what fails in between leaves neither. Throws AppError conflict. */
export async function keepAsset<T>(
  { control, commit }: Pick<ToolContext, 'control' | 'commit'>,
  received: ReceivedAsset,
  names: Names,
  answer: (row: Readonly<Asset>, tx: Tx, now: string) => T,
): Promise<Answer<T>> {
  const { fileType, filename } = names;
  const { size_bytes, content_type, duration_seconds, width, height } = received;
  const facts = { filename, fileType, size_bytes, content_type, duration_seconds, width, height };
  try {
    if (!(await received.keep())) throw assetConflict(fileType, filename);
  } catch (error) {
    await received.discard();
    throw error;
  }
  try {
    return await commit((tx, now) => {
      const row = tx.insert('assets', { ...facts, created_at: now, updated_at: now });
      return { body: answer(row, tx, now), version: row.id };
    });
  } catch (error) {
    await control.assetFiles.remove(fileType, filename);
    throw error;
  }
}
