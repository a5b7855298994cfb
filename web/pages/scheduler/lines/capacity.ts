/** How many occurrences want the same Devices at once, against the slots there. */
import { countsOver, overlapping, type Span } from '../../../ui/timeline/layers.ts';

export interface Wanted extends Span {
  /** That of the occurrence. */
  key: string;
  livestreamId: number;
  /** Of the Schedule: it goes before what the Live stream is bound to. */
  idEncoderGroup: number | null;
}

/** The place that a Live stream is bound to. */
export interface Bound {
  idEncoderGroup?: number | null | undefined;
  deviceId?: number | null | undefined;
}

export interface Devices {
  slots: ReadonlyMap<number, { name: string; total: number }>;
  groups: readonly { id: number; name: string; devices: readonly number[] }[];
}

export interface Over extends Span {
  count: number;
  /** Keys of the occurrences that want the place then. */
  keys: readonly string[];
}

export interface Place {
  key: string;
  /** undefined: all Devices. */
  name: string | undefined;
  slots: number;
  counts: readonly { atMs: number; count: number }[];
  peak: number;
  /** Times at which more is wanted than there is, each with the most that is wanted then. */
  over: readonly Over[];
}

/** Each Device and group that is wanted by name, then all Devices together where some may run on any. */
export function placesOf(
  wanted: readonly Wanted[],
  bound: ReadonlyMap<number, Bound>,
  { slots, groups }: Devices,
): Place[] {
  const all = [...slots.keys()];
  const members = new Map(groups.map(({ id, devices }) => [id, devices.filter((each) => slots.has(each))]));
  const wants = wanted.flatMap(({ key, startMs, endMs, livestreamId, idEncoderGroup }) => {
    const own = bound.get(livestreamId) ?? {};
    const group = idEncoderGroup ?? (own.deviceId == null ? own.idEncoderGroup : null);
    const devices = group != null ? (members.get(group) ?? []) : own.deviceId != null ? [own.deviceId] : all;
    return [{ key, startMs, endMs, group, device: group == null ? own.deviceId : null, devices }];
  });
  const places = [
    ...[...slots].map(([id, { name }]) => ({ key: `device ${id}`, name, devices: [id] })),
    ...groups.map(({ id, name }) => ({ key: `group ${id}`, name, devices: members.get(id)! })),
    { key: 'all', name: undefined, devices: all },
  ];
  const seen = new Set<string>();
  return places.flatMap(({ key, name, devices }) => {
    const isNamed = wants.some(({ group, device }) => key === `group ${group}` || key === `device ${device}`);
    const isAll = key === 'all' || (all.length === 1 && devices[0] === all[0]);
    const isWanted = isNamed || (isAll && wants.some(({ group, device }) => group == null && device == null));
    const ids = [...devices].sort((one, other) => one - other).join();
    if (!isWanted || devices.length === 0 || seen.has(ids)) return [];
    seen.add(ids);
    const here = wants.filter(
      (want) => want.devices.length > 0 && want.devices.every((each) => devices.includes(each)),
    );
    const total = devices.reduce((sum, each) => sum + (slots.get(each)?.total ?? 0), 0);
    return [{ key, name, slots: total, ...loadOf(here, total) }];
  });
}

function loadOf(spans: readonly (Span & { key: string })[], slots: number): Pick<Place, 'counts' | 'peak' | 'over'> {
  const counts = countsOver(spans);
  const over: Omit<Over, 'keys'>[] = [];
  counts.forEach(({ atMs, count }, index) => {
    if (count <= slots) return;
    const endMs = counts[index + 1]?.atMs ?? atMs;
    const last = over.at(-1);
    if (last?.endMs === atMs) over[over.length - 1] = { ...last, endMs, count: Math.max(count, last.count) };
    else over.push({ startMs: atMs, endMs, count });
  });
  return {
    counts,
    peak: Math.max(0, ...counts.map(({ count }) => count)),
    over: over.map((each) => ({ ...each, keys: overlapping(each, spans).map(({ key }) => key) })),
  };
}
