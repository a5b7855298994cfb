/** The order of a run as a Device keeps it, so that a store that went back to before it can take the run over as it is. */
import type { CollectionRows, ResidentName } from '../../domain/ports/collections.ts';
import type { Livestream } from '../../domain/shapes/broadcasts/livestream.ts';
import type { Run } from '../../domain/shapes/broadcasts/run.ts';
import type { Tx, View } from '../../domain/ports/store.ts';
import { seal, unseal } from '../../domain/shapes/installation/store-era.ts';

const KEPT = ['encodings', 'encodingGroups', 'publishings', 'publishingGroups', 'channels', 'livestreams'] as const;
type KeptName = (typeof KEPT)[number];
type KeptRow = { readonly [C in KeptName]: readonly [collection: C, row: Readonly<CollectionRows[C]>] }[KeptName];

export interface RunOrder {
  run: Readonly<Run>;
  /** The Live stream and what it refers to, in an order in which they can be added. */
  rows: readonly KeptRow[];
}

export function sealedOrder(view: View, livestream: Readonly<Livestream>, run: Readonly<Run>, key: string): string {
  const { channelId, backupChannelId, encodingGroupId, publishingGroupId } = livestream;
  const ids: { readonly [C in KeptName]: readonly (number | null)[] } = {
    encodings: run.boundEncodings,
    encodingGroups: [encodingGroupId],
    publishings: run.boundPublishings,
    publishingGroups: [publishingGroupId],
    channels: [channelId, backupChannelId],
    livestreams: [livestream.id],
  };
  const rows = KEPT.flatMap((collection) =>
    ids[collection].flatMap((id) => {
      const row = id === null ? undefined : view.get(collection, id);
      return row === undefined ? [] : [[collection, row] as unknown as KeptRow];
    }),
  );
  return seal(key, { run, rows } satisfies RunOrder);
}

/** undefined for what this store has not sealed. */
export function openedOrder(key: string, sealed: string): RunOrder | undefined {
  return unseal(key, sealed) as RunOrder | undefined;
}

/** Adds those rows of an order that the store does not have. Names that others have got meanwhile get a number behind them. */
export function addMissing(tx: Tx, { rows }: RunOrder, place: number): void {
  for (const [collection, row] of rows) {
    if (tx.get(collection, row.id) !== undefined) continue;
    const name = freeName(tx, collection, row.name);
    tx.insert(collection, { ...row, name, ...withPlaces(tx, row, place) } as never);
  }
}

function freeName(view: View, collection: ResidentName, name: string): string {
  for (let number = 1; ; number += 1) {
    const tried = number === 1 ? name : `${name.slice(0, 90)} ${number}`;
    if (view.find(collection, { where: { name: tried }, limit: 1 }).total === 0) return tried;
  }
}

/** A Device that the store has lost is known by another id from here on; so may be its group. */
function withPlaces(view: View, row: object, place: number): object {
  const { deviceId = null, idEncoderGroup = null } = row as {
    deviceId?: number | null;
    idEncoderGroup?: number | null;
  };
  return {
    ...(deviceId !== null && view.get('devices', deviceId) === undefined && { deviceId: place > 0 ? place : null }),
    ...(idEncoderGroup !== null && view.get('deviceGroups', idEncoderGroup) === undefined && { idEncoderGroup: null }),
  };
}
