/** Builds the runner's spec from an accepted start. */
import { notFound } from '../../domain/base/errors.ts';
import type { AssetFiles } from '../../domain/ports/control.ts';
import { renditionOf } from '../../domain/rules/encodings/ladder.ts';
import type { Encoding } from '../../domain/shapes/encodings/encoding.ts';
import type { Livestream, StartConfigEntry } from '../../domain/shapes/broadcasts/livestream.ts';
import { hasBackupPath, type Publishing } from '../../domain/shapes/destinations/publishing.ts';
import { RUN_SPEC_DEFAULTS } from '../../domain/shapes/broadcasts/run-defaults.ts';
import type { InForce, Run } from '../../domain/shapes/broadcasts/run.ts';
import type { OutputSpec, RenditionSpec, RunSpec, SourceFormat } from '../../domain/shapes/broadcasts/run-spec.ts';
import { settingsIn } from '../../domain/shapes/changes/change-questions.ts';
import type { View } from '../../domain/ports/store.ts';
import type { Asset } from '../../domain/shapes/media/asset.ts';
import { findAsset, resolveBindings, type Bindings } from './bindings.ts';
import { fallbackSpec, inForceOf, pictureSpec, sourceSpec } from './in-force.ts';
import { DEFAULT_SETTINGS } from '../../domain/types/destination-settings.ts';
import { RECORDING_TYPE } from '../../domain/types/destination-types.ts';

/**
 * A run without evidence fails inside the 30 s that docs/control-plane.md gives in its table of states; the rest is for noticing, storing
 * and reporting it.
 */
const START_TIMEOUT_SECONDS = 25;

/** A disk that came back is written to again, whatever happened before. */
const TAKE_RETRY = { max_attempts: 1000, initial_delay_ms: 1000, max_delay_ms: 5000 };

/** Answers the key that signs tokens of a Destination's viewers, by the Destination's id. */
export type PlaybackKeys = (publishingId: number) => string;

export function renditionsOf(
  encodings: readonly Readonly<Encoding>[],
  asset: Readonly<Asset> | undefined,
): RenditionSpec[] {
  const aspect = asset?.width && asset.height ? asset.width / asset.height : undefined;
  return encodings.map((encoding) => renditionOf(encoding, aspect === undefined ? {} : { aspect }));
}

interface BuildRunSpecOptions {
  run: Readonly<Run>;
  /** Milliseconds since the epoch. */
  now: number;
  files: Pick<AssetFiles, 'path'>;
  timezone?: string | undefined;
  keyOf?: PlaybackKeys | undefined;
}

/**
 * `timezone` is that of the clock tokens in texts; without `keyOf` no Destination with tokens is delivered. Throws AppError not_found when
 * a bound row has gone since the start was accepted.
 */
export function buildRunSpec(
  view: View,
  livestream: Readonly<Livestream>,
  { run, now, files, timezone = RUN_SPEC_DEFAULTS.timezone, keyOf }: BuildRunSpecOptions,
): RunSpec {
  const inForce = withoutMissingFiles(view, inForceOf(run, livestream));
  const bindings = resolveBindings(view, { ...livestream, channelId: inForce.channelId });
  const { channel, asset } = bindings;
  if (channel === undefined) throw notFound('Channel', inForce.channelId);
  // A backup of type File is refused, so it has no Asset.
  const backup = livestream.backupChannelId === null ? undefined : view.get('channels', livestream.backupChannelId);
  return {
    runId: run.runId,
    livestreamId: livestream.id,
    name: livestream.name,
    source: sourceSpec(channel, asset, files, formatOf(view, channel.id)),
    ...(backup !== undefined && {
      backup: sourceSpec(backup, undefined, files, formatOf(view, backup.id)),
      pair: { first: livestream.channelId, backup: backup.id },
    }),
    failover: inForce.failover,
    sound: inForce.sound,
    detect: inForce.detect,
    fallback: fallbackSpec(inForce.fallback, files),
    crop: inForce.crop,
    captions: livestream.captions,
    scteMarkers: inForce.scteMarkers,
    picture: pictureSpec(inForce, files),
    ...settingsIn(inForce),
    timezone,
    renditions: renditionsOf(bindings.encodings, asset),
    audio: livestream.audio ?? [],
    outputs: [
      ...outputsOf(bindings, run.startConfig, keyOf),
      ...(run.takes?.isOpen === true ? [takeOutput(run.takes.count)] : []),
    ],
    startTimeoutSeconds: START_TIMEOUT_SECONDS,
    startWithoutSource: livestream.startWithoutSource,
    ...listsOf(run, now),
    ...(run.lease === true && { lease: true }),
  };
}

/**
 * Two numbers a second are more than any run uses, and a minute of them is ahead of a run that delivers while this one waits behind its gate.
 * A broadcast that was never at another place or begun anew has no earlier run.
 */
function listsOf({ started_at: since, epoch }: Readonly<Run>, now: number): Pick<RunSpec, 'lists'> {
  if (since === null) return {};
  const seconds = Math.max(0, (now - Date.parse(since)) / 1000);
  return { lists: { since, firstNumber: epoch === undefined ? 0 : 2 * Math.ceil(seconds + 60) } };
}

function formatOf(view: View, channelId: number): SourceFormat | undefined {
  const known = view.get('knownFormats', channelId);
  return known && { fps: known.fps, width: known.width, height: known.height };
}

/** Leaves out Assets that do not exist: a missing logo does not keep a broadcast off air. */
function withoutMissingFiles(view: View, inForce: InForce): InForce {
  const { logo, fallback, blackout } = inForce;
  const isMissing = (bucket: string, filename: string | null | undefined): boolean =>
    Boolean(filename) && findAsset(view, bucket, filename) === undefined;
  return {
    ...inForce,
    ...(isMissing('logos', logo?.filename) && { logo: null }),
    ...(isMissing('files', fallback.filename) && { fallback: { ...fallback, filename: null } }),
    ...(isMissing('files', blackout.filename) && {
      blackout: { ...blackout, mode: 'Black Frame' as const, filename: null },
    }),
  };
}

/** All bound Destinations are in the spec, because one that is off can be switched on while the run is on air. */
function outputsOf(
  { publishings, encodings }: Bindings,
  startConfig: readonly StartConfigEntry[],
  keyOf: PlaybackKeys | undefined,
): OutputSpec[] {
  const ladder = encodings.map(({ id }) => id);
  const listedOutputs = startConfig.flatMap((entry) => {
    const publishing = publishings.find(({ id }) => id === entry.publishingId);
    return publishing === undefined ? [] : [outputSpec(publishing, entry, ladder, keyOf)];
  });
  const others = publishings.filter(({ id }) => !startConfig.some(({ publishingId }) => publishingId === id));
  return [...listedOutputs, ...others.map((publishing) => outputSpec(publishing, undefined, ladder, keyOf))];
}

/** The output of the nth recording of a run that was begun on air: all its renditions in one file. */
export function takeOutput(n: number): OutputSpec {
  return {
    publishingId: -n,
    name: `Recording ${n}`,
    type: RECORDING_TYPE,
    settings: DEFAULT_SETTINGS,
    retry: TAKE_RETRY,
    primary: true,
    backup: null,
    qualities: [],
  };
}

/** `entry` is undefined for a Destination that the start left out; both its paths are off. */
export function outputSpec(
  publishing: Readonly<Publishing>,
  entry: Readonly<StartConfigEntry> | undefined,
  ladder: readonly number[],
  keyOf: PlaybackKeys | undefined,
): OutputSpec {
  const { id, name, type, settings, retry, drm, access } = publishing;
  const { primary = false, backup = false, qualities } = entry ?? {};
  return {
    publishingId: id,
    name,
    type,
    settings,
    retry,
    primary,
    backup: hasBackupPath(publishing) ? backup : null,
    qualities: ladder.filter((encodingId) => qualities?.includes(encodingId) ?? true),
    ...(drm?.active === true && { encrypted: true }),
    ...(access === 'token' && { access, ...(keyOf !== undefined && { accessKey: keyOf(id) }) }),
  };
}
