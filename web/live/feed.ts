/**
 * The messages of the server's feed as one pure reducer. Messages may come late, twice or never; each member of a Live stream keeps the
 * number of the message that set it, so that an older one never overwrites a newer one.
 */
import { unknownStatus, type By, type DeviceStatus, type LivestreamStatus, type Rates } from './status.ts';

type Member = keyof LivestreamStatus;
type Partially = Partial<LivestreamStatus> & { livestreamId: number; flags?: number };
type RateRow = readonly [
  number,
  number,
  number,
  number | null,
  number | null,
  number | null,
  number,
  Rates['encodings'],
];

export interface Hello {
  boot: string;
  version: string;
  server_time: string;
  timezone: string;
  user: string;
  role: 1 | 2;
  tool_profile: string;
}

/** A row of the event log. */
export interface StreamEvent {
  id: number;
  at: string;
  livestreamId: number | null;
  kind: string;
  severity: 'info' | 'warning' | 'error';
  message: string;
  data: object;
}

export type FeedMessage = { id?: string } & (
  | { event: 'hello'; data: Hello }
  | { event: 'snapshot'; data: { livestreams: Partially[]; devices?: DeviceStatus[]; done: boolean } }
  | { event: 'status'; data: { livestreams: Partially[]; by?: By } }
  | { event: 'rates'; data: { at: string | number; rows: RateRow[] } }
  | { event: 'event'; data: StreamEvent }
  | { event: 'device'; data: { devices: DeviceStatus[] } | DeviceStatus[] }
  | { event: 'changed'; data: { resource: string; ids: number[] | null } }
  | { event: 'bye'; data: { reason: 'signed_out' | 'expired' | 'role' | 'closing' } }
);

export interface Stream {
  status: LivestreamStatus;
  rates: Rates | undefined;
  flags: number;
  /** The last change that somebody made, and its message's number. */
  by: By | undefined;
  /** The number of the message that set each member. */
  versions: Readonly<Partial<Record<Member, number>>>;
}

export interface FeedState {
  boot: string;
  hello: Hello | undefined;
  /** The highest number of a message of this boot. */
  last: number;
  /** Whether a whole snapshot of this boot has come: before it, an absent stream is unknown and not off. */
  complete: boolean;
  streams: ReadonlyMap<number, Stream>;
  devices: ReadonlyMap<number, DeviceStatus>;
  /** The streams that the snapshot under way has brought; undefined between snapshots. */
  arriving: ReadonlySet<number> | undefined;
}

export const EMPTY_FEED: FeedState = {
  boot: '',
  hello: undefined,
  last: 0,
  complete: false,
  streams: new Map(),
  devices: new Map(),
  arriving: undefined,
};

export function reduceFeed(before: FeedState, message: FeedMessage): FeedState {
  const place = placeOf(message.id);
  if (message.event !== 'hello' && place !== undefined && before.boot !== '' && place.boot !== before.boot)
    return before;
  const number = place?.number ?? before.last;
  const state = number > before.last ? { ...before, last: number } : before;
  switch (message.event) {
    case 'hello':
      return helloTo(before, message.data);
    case 'snapshot':
      return snapshotTo(state, message.data, number);
    case 'status':
      return { ...state, streams: withRows(state.streams, message.data.livestreams, number, message.data.by) };
    case 'rates':
      return { ...state, streams: withRates(state.streams, message.data) };
    case 'device':
      return withDevices(state, Array.isArray(message.data) ? message.data : message.data.devices);
    default:
      return state;
  }
}

/** `<boot>.<n>`; a boot may have dots of its own. */
function placeOf(id: string | undefined): { boot: string; number: number } | undefined {
  const cut = id?.lastIndexOf('.') ?? -1;
  if (id === undefined || cut === -1) return undefined;
  const number = Number(id.slice(cut + 1));
  return Number.isInteger(number) ? { boot: id.slice(0, cut), number } : undefined;
}

/** A server that has started anew counts anew; what was known stays on the screen until its snapshot has come. */
function helloTo(state: FeedState, hello: Hello): FeedState {
  if (hello.boot === state.boot) return { ...state, hello };
  const streams = new Map([...state.streams].map(([id, stream]) => [id, { ...stream, versions: {} }]));
  return { ...state, boot: hello.boot, hello, last: 0, complete: false, streams, arriving: undefined };
}

function snapshotTo(
  state: FeedState,
  data: { livestreams: Partially[]; devices?: DeviceStatus[]; done: boolean },
  number: number,
): FeedState {
  const arriving = new Set([...(state.arriving ?? []), ...data.livestreams.map(({ livestreamId }) => livestreamId)]);
  const streams = withRows(state.streams, data.livestreams, number);
  const next = withDevices({ ...state, streams }, data.devices ?? []);
  if (!data.done) return { ...next, arriving };
  // What a newer status message has brought meanwhile stays; the others that the snapshot does not name exist no more.
  const isKnown = ([id, { versions }]: [number, Stream]): boolean =>
    arriving.has(id) || Object.values(versions).some((version) => version > number);
  return { ...next, streams: new Map([...streams].filter(isKnown)), complete: true, arriving: undefined };
}

function withRows(
  streams: ReadonlyMap<number, Stream>,
  rows: readonly Partially[],
  number: number,
  by?: By,
): ReadonlyMap<number, Stream> {
  const next = new Map(streams);
  for (const row of rows) {
    const present = next.get(row.livestreamId);
    const stream = withMembers(present, row, number);
    if (stream !== present) next.set(row.livestreamId, by === undefined ? stream : { ...stream, by });
  }
  return next;
}

function withMembers(present: Stream | undefined, { flags, ...row }: Partially, number: number): Stream {
  const versions = { ...present?.versions };
  const members = Object.entries(row).filter(([name]) => number >= (versions[name as Member] ?? 0));
  for (const [name] of members) versions[name as Member] = number;
  if (present !== undefined && members.length === 0) return present;
  const status = { ...(present?.status ?? unknownStatus(row.livestreamId)), ...Object.fromEntries(members) };
  return {
    status,
    rates: present?.rates,
    flags: flags ?? present?.flags ?? 0,
    by: present?.by,
    versions,
  };
}

function withRates(
  streams: ReadonlyMap<number, Stream>,
  { at, rows }: { at: string | number; rows: RateRow[] },
): ReadonlyMap<number, Stream> {
  const instant = typeof at === 'number' ? at : Date.parse(at);
  const next = new Map(streams);
  for (const [id, fps, kbps, sinceFrameMs, peakLeft, peakRight, flags, encodings] of rows) {
    const stream = next.get(id);
    if (stream === undefined || (stream.rates?.at ?? 0) > instant) continue;
    next.set(id, {
      ...stream,
      flags,
      rates: { at: instant, fps, kbps, sinceFrameMs, peakLeft, peakRight, flags, encodings },
    });
  }
  return next;
}

function withDevices(state: FeedState, rows: readonly DeviceStatus[]): FeedState {
  if (rows.length === 0) return state;
  return { ...state, devices: new Map([...state.devices, ...rows.map((row) => [row.deviceId, row] as const)]) };
}
