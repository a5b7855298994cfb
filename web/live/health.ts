/** Health of a Live stream: one pure function of what the server says of it, its Device and the figures of the last minute. */
import type { Conditions } from './conditions.ts';
import type { DeviceStatus } from './status.ts';
import type { Stream } from './feed.ts';

/** A path that comes back within this time is no fault: every peer restarts now and then. */
const GRACE_MS = 5_000;
/** With the delays that a Destination has by default these take longer than the grace; a Device of an earlier version tells no more. */
const MANY_ATTEMPTS = 4;
/** Figures swing for a moment when a scene changes. */
const SWING_MS = 10_000;

const REASONS = [
  'failed',
  'device_offline',
  'source_lost',
  'source_awaited',
  'no_path',
  'path_failed',
  'path_retrying',
  'behind',
  'slow',
  'low_fps',
  'dropped',
  'black',
  'frozen',
  'silent',
  'late_picture',
  'schedule_warning',
] as const;
export type Reason = (typeof REASONS)[number];

export type StateName = 'on-air' | 'starting' | 'warning' | 'failing' | 'failed' | 'off' | 'unknown';

export interface Trouble {
  reason: Reason;
  severity: 'fault' | 'warning';
  /** Milliseconds since 1970, server's clock; undefined where the server does not say. */
  since: number | undefined;
  /** The thing with the trouble: the name of a Destination and its path, a count of frames. */
  about: string;
  /** Measured now; it changes while the trouble stays the same. */
  figures?: string;
  /** The server's own words for the cause. */
  cause: string | undefined;
  /** The Destination that it is about. */
  publishingId?: number;
}

export interface Health {
  state: StateName;
  /** When the broadcast entered its state; each trouble has a beginning of its own. */
  since: number | undefined;
  /** Faults first, each kind in the order of REASONS. */
  troubles: readonly Trouble[];
}

interface HealthFacts {
  stream: Pick<Stream, 'status'>;
  conditions: Conditions;
  device: Pick<DeviceStatus, 'online' | 'name'> | undefined;
  /** Milliseconds since 1970 on the server's clock. */
  now: number;
  /** Since when nothing is known; undefined while what is known is fresh. */
  unknownSince?: number | undefined;
  /** A start to come that would fail as things are. */
  warning?: { since: number; message: string } | undefined;
  /** Since when the picture on the screen has been older than three periods. */
  latePictureSince?: number | undefined;
}

export function healthOf(facts: HealthFacts): Health {
  const { stream, device, now, unknownSince } = facts;
  const { status } = stream;
  if (unknownSince !== undefined) return { state: 'unknown', since: unknownSince || undefined, troubles: [] };
  const entered = instantOf(status.since);
  const coming = comingTroubles(facts);
  if (status.status === 0) return { state: 'off', since: entered, troubles: coming };
  if (status.status === 3) {
    const cause = status.errorstatus ?? undefined;
    const failed: Trouble = { reason: 'failed', severity: 'fault', since: entered, about: '', cause };
    return { state: 'failed', since: entered, troubles: [failed, ...coming] };
  }
  const troubles = [
    ...deviceTroubles(device, instantOf(status.device_lost_since)),
    ...(status.status === 2 ? [...sourceTroubles(stream, now), ...pathTroubles(facts)] : []),
    ...(status.status === 2 ? [...measuredTroubles(facts), ...signalTroubles(stream)] : []),
    ...(status.status === 2 ? pictureTroubles(facts) : []),
    ...coming,
  ].sort((one, other) => rankOf(one) - rankOf(other));
  return { state: stateOf(status.status, troubles[0]), since: entered, troubles };
}

function stateOf(status: number, first: Trouble | undefined): StateName {
  if (first?.severity === 'fault') return 'failing';
  if (status === 1) return 'starting';
  return first === undefined ? 'on-air' : 'warning';
}

function rankOf({ severity, reason }: Trouble): number {
  return (severity === 'fault' ? 0 : REASONS.length) + REASONS.indexOf(reason);
}

/** Whether there is nothing new to show. */
export function isSameHealth(one: Health, other: Health): boolean {
  if (one.state !== other.state || one.since !== other.since || one.troubles.length !== other.troubles.length)
    return false;
  return one.troubles.every((trouble, place) => isSameTrouble(trouble, other.troubles[place]!));
}

function isSameTrouble(one: Trouble, other: Trouble): boolean {
  return (['reason', 'about', 'figures', 'cause', 'since'] as const).every((name) => one[name] === other[name]);
}

function comingTroubles({ warning }: HealthFacts): Trouble[] {
  if (warning === undefined) return [];
  const { since, message } = warning;
  return [{ reason: 'schedule_warning', severity: 'warning', since, about: '', cause: message }];
}

function pictureTroubles({ latePictureSince: since }: HealthFacts): Trouble[] {
  return since === undefined
    ? []
    : [{ reason: 'late_picture', severity: 'warning', since, about: '', cause: undefined }];
}

function deviceTroubles(device: HealthFacts['device'], since: number | undefined): Trouble[] {
  if (device === undefined || device.online) return [];
  return [{ reason: 'device_offline', severity: 'fault', since, about: device.name, cause: undefined }];
}

function sourceTroubles({ status }: HealthFacts['stream'], now: number): Trouble[] {
  const { source, lost_seconds: seconds } = status;
  if (source?.state !== 'lost' || seconds === 0) return [];
  // One that has never come is not lost, and an encoder that calls us is started by a person when it is time.
  const hasCome = source.last_frame_at !== null;
  const since = instantOf(source.last_frame_at ?? status.since);
  if (since !== undefined && now - since < seconds * 1000) return [];
  const severity = hasCome || source.ingest === null ? 'fault' : 'warning';
  return [{ reason: hasCome ? 'source_lost' : 'source_awaited', severity, since, about: '', cause: undefined }];
}

function pathTroubles({ stream, now }: HealthFacts): Trouble[] {
  return stream.status.publishings.flatMap(({ publishingId, name, primary, backup }) => {
    const all = [
      { path: primary, kind: 'primary' as const },
      ...(backup === null ? [] : [{ path: backup, kind: 'backup' as const }]),
    ].filter(({ path }) => path.enabled);
    const paths = all.map(({ path, kind }) => ({
      path,
      about: `${name} ${kind}`,
      since: Date.parse(path.down_since ?? path.since),
    }));
    if (paths.length === 0) return [];
    const late = paths.filter(
      ({ path, since }) => path.state !== 'up' && (now - since >= GRACE_MS || path.attempts >= MANY_ATTEMPTS),
    );
    if (!paths.some(({ path }) => path.state === 'up')) {
      if (late.length < paths.length) return [];
      const cause = late.map(({ path }) => path.last_error).find((error) => error !== null) ?? undefined;
      // The Destination is gone since its last path went.
      const since = Math.max(...late.map((each) => each.since));
      return [{ reason: 'no_path', severity: 'fault', since, about: name, cause, publishingId }];
    }
    return paths
      .filter((each) => late.includes(each) || each.path.state === 'failed')
      .map(({ path, about, since }): Trouble => {
        const reason = path.state === 'failed' ? 'path_failed' : 'path_retrying';
        return { reason, severity: 'warning', since, about, cause: path.last_error ?? undefined, publishingId };
      });
  });
}

function measuredTroubles({ stream, conditions, now }: HealthFacts): Trouble[] {
  // The server has said it in one.
  const isBehind = stream.status.conditions.some(({ kind }) => kind === 'behind');
  return (['slow', 'dropped'] as const).flatMap((reason) => {
    const since = conditions[reason];
    const grace = reason === 'dropped' ? 0 : SWING_MS;
    if (since === undefined || now - since < grace || isBehind) return [];
    // Another page has counted from another second.
    return [{ reason, severity: 'warning', since: undefined, about: '', cause: undefined }];
  });
}

/** The server says what is wrong once it has lasted for long enough. */
function signalTroubles({ status }: HealthFacts['stream']): Trouble[] {
  return status.conditions.map(({ kind, since, fps, wanted_fps }) => ({
    reason: kind === 'silence' ? 'silent' : kind,
    severity: 'warning',
    since: instantOf(since),
    about: '',
    ...(fps !== undefined && { figures: `${fps}/${wanted_fps}` }),
    cause: undefined,
  }));
}

function instantOf(text: string | null): number | undefined {
  return text === null ? undefined : Date.parse(text);
}
