/** Bindings of a Live stream, resolved through a view. */
import { orderLadder } from '../../domain/ladder.ts';
import type { Channel } from '../../domain/channel.ts';
import type { Encoding } from '../../domain/encoding.ts';
import type { Livestream } from '../../domain/livestream.ts';
import type { Publishing } from '../../domain/publishing.ts';
import type { View } from '../../domain/store.ts';
import type { Asset } from '../../domain/asset.ts';

export interface Bindings {
  channel: Readonly<Channel> | undefined;
  /** Encodings in ladder order. */
  encodings: readonly Readonly<Encoding>[];
  publishings: readonly Readonly<Publishing>[];
  /** The file of a Channel of type File. */
  asset: Readonly<Asset> | undefined;
}

export function resolveBindings(view: View, livestream: Readonly<Livestream>): Bindings {
  const channel = view.get('channels', livestream.channelId);
  return {
    channel,
    encodings: encodingsOf(view, livestream),
    publishings: publishingsOf(view, livestream),
    asset: channel?.type === 'File' ? findAsset(view, 'files', channel.settings.filename) : undefined,
  };
}

function encodingsOf(view: View, livestream: Readonly<Livestream>): Readonly<Encoding>[] {
  if (livestream.encodingId !== null) return present([view.get('encodings', livestream.encodingId)]);
  if (livestream.encodingGroupId === null) return [];
  const group = view.get('encodingGroups', livestream.encodingGroupId);
  if (group === undefined) return [];
  return orderLadder(present(group.elements.map((id) => view.get('encodings', id))), group.quality_order);
}

function publishingsOf(view: View, livestream: Readonly<Livestream>): Readonly<Publishing>[] {
  if (livestream.publishingId !== null) return present([view.get('publishings', livestream.publishingId)]);
  if (livestream.publishingGroupId === null) return [];
  const group = view.get('publishingGroups', livestream.publishingGroupId);
  return present((group?.elements ?? []).map((id) => view.get('publishings', id)));
}

export function findAsset(
  view: View,
  fileType: string,
  filename: string | null | undefined,
): Readonly<Asset> | undefined {
  if (filename === null || filename === undefined) return undefined;
  return view.find('assets', { where: { filename, fileType }, limit: 1 }).rows[0];
}

function present<T>(rows: (T | undefined)[]): T[] {
  return rows.filter((row) => row !== undefined);
}
