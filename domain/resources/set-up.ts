/**
 * Takes a set-up back whose start has come to nothing. What it made is stored with its run, so that this is done whoever notices the
 * failure, also after a restart of the server.
 */
import type { ResidentName } from '../collections.ts';
import type { Resource } from '../resource.ts';
import type { Run } from '../run.ts';
import type { Tx } from '../store.ts';
import { assetUsers } from './asset.ts';
import { channelResource } from './channel.ts';
import { encodingGroupResource } from './encoding-group.ts';
import { encodingResource } from './encoding.ts';
import { livestreamResource } from './livestream.ts';
import { removeDependents } from './livestream-removal.ts';
import { publishingResource } from './publishing.ts';

/** A set-up that has come on air is whole: nothing takes it back any more. */
export function withWholeSetUp(run: Readonly<Run>): Pick<Run, 'setUp'> {
  return run.setUp === undefined ? {} : { setUp: { ...run.setUp, isWhole: true } };
}

/**
 * Deletes what the set-up of the run has made, but for what somebody else uses by now. Answers the name of the Asset whose file is to be
 * removed after the commit; undefined where there is none.
 */
export function takeBackSetUp(tx: Tx, now: string, livestreamId: number): string | undefined {
  const run = tx.get('runs', livestreamId);
  if (run?.setUp === undefined || run.setUp.isWhole) return undefined;
  const { made } = run.setUp;
  tx.put('runs', { ...run, ...withWholeSetUp(run) });
  if (remove(tx, livestreamResource, livestreamId)) removeDependents(tx, livestreamId, now);
  remove(tx, channelResource, made.channelId);
  remove(tx, publishingResource, made.publishingId);
  remove(tx, encodingGroupResource, made.encodingGroupId);
  for (const id of made.encodingIds) remove(tx, encodingResource, id);
  const asset = made.assetId === null ? undefined : tx.get('assets', made.assetId);
  if (asset === undefined || assetUsers(tx, asset.fileType, asset.filename).length > 0) return undefined;
  tx.delete('assets', asset.id);
  return asset.filename;
}

function remove<C extends ResidentName>(tx: Tx, { collection, users }: Resource<C>, id: number): boolean {
  if (tx.get(collection, id) === undefined || (users?.(tx, id) ?? []).length > 0) return false;
  tx.delete(collection, id);
  return true;
}
