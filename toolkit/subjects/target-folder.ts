/** The Target Folder that a delivery names. */
import { AppError } from '../../domain/base/errors.ts';
import { targetFolderResource } from '../../domain/rules/media/target-folder.ts';
import type { TargetFolder } from '../../domain/shapes/media/folder.ts';
import { roleAllows } from '../access.ts';
import { getRow } from '../crud.ts';
import { takeRow } from '../input/resolve.ts';
import type { ToolContext } from '../tool.ts';
import { questionOf, type Reference } from './reference.ts';

const FIELD = 'targetFolderId';

/** Throws as takeRow does; who may not list the folders is told the names of none. */
export async function takeTargetFolder(
  { store, request, caller }: Pick<ToolContext, 'store' | 'request' | 'caller'>,
  wanted: Reference,
): Promise<Readonly<TargetFolder>> {
  if (typeof wanted === 'number') return (await getRow(store, targetFolderResource, wanted)).row;
  const { noun, collection } = targetFolderResource;
  try {
    return await takeRow({ store, request }, collection, questionOf({ request }, FIELD, noun, wanted));
  } catch (error) {
    if (!(error instanceof AppError) || roleAllows(caller.role, { access: 'admin' })) throw error;
    const found = error.code === 'conflict' ? 'Several Target Folders begin with' : 'There is no Target Folder';
    throw new AppError(error.code, `${found} ${JSON.stringify(wanted)}; an Administrator knows their names.`);
  }
}
