/** The things that Live streams are made of, by id: names for the table, details for the editor. */
import { useRef } from 'preact/hooks';
import { useAll } from '../../../api/all.ts';
import type { RowOf } from '../../../api/operation-types.ts';
import { words } from '../words.ts';

export type StreamRow = RowOf<'getAllLivestreams'>;
type Rung = RowOf<'getAllEncodings'>;
type Outlet = RowOf<'getAllPublishings'>;

export interface Parts {
  sources: ReadonlyMap<number, RowOf<'getAllChannels'>>;
  encodings: ReadonlyMap<number, Rung>;
  ladders: ReadonlyMap<number, RowOf<'getAllEncodingGroups'>>;
  outlets: ReadonlyMap<number, Outlet>;
  outletGroups: ReadonlyMap<number, RowOf<'getAllPublishingGroups'>>;
  devices: ReadonlyMap<number, RowOf<'getAllDevices'>>;
  deviceGroups: ReadonlyMap<number, RowOf<'getAllDeviceGroups'>>;
}

function byId<R extends { id: number }>(rows: readonly R[]): ReadonlyMap<number, R> {
  return new Map(rows.map((row) => [row.id, row]));
}

const NO_PARTS: Parts = {
  sources: new Map(),
  encodings: new Map(),
  ladders: new Map(),
  outlets: new Map(),
  outletGroups: new Map(),
  devices: new Map(),
  deviceGroups: new Map(),
};

/**
 * Only what is shown is asked for: hundreds of whole rows take long on the way. The parts come all at once and stay the same object until
 * one of them changes, because each change draws all rows anew.
 */
export function useParts(): Parts {
  const sources = useAll('getAllChannels', { fields: 'id,name,type,deviceId' });
  const encodings = useAll('getAllEncodings', { fields: 'id,name,settings_video' });
  const ladders = useAll('getAllEncodingGroups', { fields: 'id,name,elements' });
  const outlets = useAll('getAllPublishings', { fields: 'id,name,type,settings' });
  const outletGroups = useAll('getAllPublishingGroups', { fields: 'id,name,elements' });
  const devices = useAll('getAllDevices', { fields: 'id,name' });
  const deviceGroups = useAll('getAllDeviceGroups', { fields: 'id,name' });
  const all = [sources, encodings, ladders, outlets, outletGroups, devices, deviceGroups];
  const isThere = all.every(({ isLoading, hasMore }) => !isLoading && !hasMore);
  const rows = isThere ? all.map((list) => list.rows) : [];
  const known = useRef<{ rows: readonly unknown[]; parts: Parts }>({ rows: [], parts: NO_PARTS });
  const isSame =
    rows.length === known.current.rows.length && rows.every((row, place) => row === known.current.rows[place]);
  if (isThere && !isSame)
    known.current = {
      rows,
      parts: {
        sources: byId(sources.rows),
        encodings: byId(encodings.rows),
        ladders: byId(ladders.rows),
        outlets: byId(outlets.rows),
        outletGroups: byId(outletGroups.rows),
        devices: byId(devices.rows),
        deviceGroups: byId(deviceGroups.rows),
      },
    };
  return known.current.parts;
}

type Bindings = Pick<
  StreamRow,
  'channelId' | 'encodingId' | 'encodingGroupId' | 'publishingId' | 'publishingGroupId' | 'idEncoderGroup' | 'deviceId'
>;

export function sourceText({ sources }: Parts, { channelId }: Pick<Bindings, 'channelId'>): string {
  const source = sources.get(channelId);
  return source === undefined ? '' : `${source.name} (${source.type})`;
}

/** The encodings that a stream is sent in. */
export function rungsOf(parts: Parts, { encodingId, encodingGroupId }: Bindings): Rung[] {
  const ids = encodingId === null ? (parts.ladders.get(encodingGroupId ?? 0)?.elements ?? []) : [encodingId];
  return ids.flatMap((id) => parts.encodings.get(id) ?? []);
}

export function encodingText(parts: Parts, row: Bindings): string {
  if (row.encodingId !== null) return parts.encodings.get(row.encodingId)?.name ?? '';
  const ladder = parts.ladders.get(row.encodingGroupId ?? 0);
  return ladder === undefined ? '' : `${ladder.name} ${words.value.rungs(ladder.elements.length)}`;
}

/** The Destinations that a stream is delivered to. */
export function outletsOf(parts: Parts, { publishingId, publishingGroupId }: Bindings): Outlet[] {
  const ids = publishingId === null ? (parts.outletGroups.get(publishingGroupId ?? 0)?.elements ?? []) : [publishingId];
  return ids.flatMap((id) => parts.outlets.get(id) ?? []);
}

export function outletText(parts: Parts, row: Bindings): string {
  return outletsOf(parts, row)
    .map(({ name }) => name)
    .join(', ');
}

export function whereText({ devices, deviceGroups }: Parts, { deviceId, idEncoderGroup }: Bindings): string {
  if (deviceId !== null) return devices.get(deviceId)?.name ?? `${deviceId}`;
  if (idEncoderGroup !== null) return deviceGroups.get(idEncoderGroup)?.name ?? `${idEncoderGroup}`;
  return words.value.any;
}
