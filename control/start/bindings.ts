/** Bindings of a Live stream, resolved through a view. */
import type { SourceSize } from '../../domain/shapes/encodings/capacity.ts';
import { orderLadder } from '../../domain/rules/encodings/ladder.ts';
import type { Channel } from '../../domain/shapes/sources/channel.ts';
import type { Encoding } from '../../domain/shapes/encodings/encoding.ts';
import type { Livestream, StartConfigEntry } from '../../domain/shapes/broadcasts/livestream.ts';
import { hasBackupPath, type Publishing } from '../../domain/shapes/destinations/publishing.ts';
import type { View } from '../../domain/ports/store.ts';
import type { Asset } from '../../domain/shapes/media/asset.ts';
import { boundEncodings, boundPublishings } from '../../domain/rules/broadcasts/bindings.ts';
import { playsAsset } from '../../domain/types/channel-questions.ts';

export interface Bindings {
  channel: Readonly<Channel> | undefined;
  /** The Channel that takes over by failover. */
  backup?: Readonly<Channel> | undefined;
  /** It listens for what is pushed besides the Device of the Channel. */
  backupDeviceId?: number | null | undefined;
  /** Encodings in ladder order. */
  encodings: readonly Readonly<Encoding>[];
  publishings: readonly Readonly<Publishing>[];
  /** The file of a Channel that plays one. */
  asset: Readonly<Asset> | undefined;
}

/** The paths that a start switches on of a Destination that is new to it. */
export function newEntry(publishing: Readonly<Publishing>): StartConfigEntry {
  return {
    publishingId: publishing.id,
    primary: publishing.primary_enabled,
    backup: publishing.backup_enabled && hasBackupPath(publishing),
  };
}

export function resolveBindings(view: View, livestream: Readonly<Livestream>): Bindings {
  const channel = view.get('channels', livestream.channelId);
  return {
    channel,
    backup: livestream.backupChannelId == null ? undefined : view.get('channels', livestream.backupChannelId),
    backupDeviceId: livestream.backupDeviceId,
    encodings: encodingsOf(view, livestream),
    publishings: boundPublishings(view, livestream),
    asset:
      channel !== undefined && playsAsset(channel) ? findAsset(view, 'files', channel.settings.filename) : undefined,
  };
}

/** The size and rate with which the source was last seen; undefined where nothing is known of it. */
export function sourceSize(view: View, { channel, asset }: Bindings): SourceSize | undefined {
  if (asset?.width && asset.height) return { width: asset.width, height: asset.height };
  return channel && view.get('knownFormats', channel.id);
}

function encodingsOf(view: View, livestream: Readonly<Livestream>): readonly Readonly<Encoding>[] {
  const encodings = boundEncodings(view, livestream);
  if (livestream.encodingId !== null || livestream.encodingGroupId === null) return encodings;
  const group = view.get('encodingGroups', livestream.encodingGroupId);
  return group === undefined ? encodings : orderLadder(encodings, group.quality_order);
}

export function findAsset(
  view: View,
  fileType: string,
  filename: string | null | undefined,
): Readonly<Asset> | undefined {
  if (filename === null || filename === undefined) return undefined;
  return view.find('assets', { where: { filename, fileType }, limit: 1 }).rows[0];
}
