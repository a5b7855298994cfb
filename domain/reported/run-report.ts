/** A runner's report of itself, as a Device sends it. */
import type { ReportedAudience } from '../shapes/broadcasts/audience.ts';
import type {
  Condition,
  EncodingStatus,
  PathStatus,
  PublishingStatus,
  RuntimeStatus,
  SourceStatus,
  TrackLevels,
} from '../shapes/broadcasts/livestream-status.ts';
import { CONDITION_KINDS, PATH_STATES, SOURCE_STATES } from '../shapes/broadcasts/livestream-status.ts';
import { BACKUPS } from '../shapes/broadcasts/run-move.ts';
import { HARDWARE_KINDS } from '../shapes/encodings/hardware.ts';
import { playbackPath } from '../shapes/destinations/playback.ts';
import type { KeyRotationReport, OptionalField, RunReport } from '../shapes/broadcasts/run.ts';
import { KEY_TRACKS, SUPPORTED_SYSTEMS } from '../shapes/destinations/drm-provider.ts';
import { count, id, instant, measure, orNoMeasure, rowId, runId, sentence, text, title, word } from './fields.ts';
import {
  boolean,
  knownOf,
  list,
  made,
  nearest,
  numberFrom,
  oneOf,
  optional,
  orElse,
  orNull,
  orWithout,
  pair,
  shape,
  shapeOf,
  someOf,
  such,
  textOf,
  type Form,
} from './forms.ts';

/** A group has 20 Destinations, and a ladder as many Encodings as its machine bears. */
const MAX_OUTPUTS = 100;
const MAX_TRACKS = 64;
const WATCHED = /^\/live\/\d{1,16}\/\d{1,16}\/[\w-][\w.-]{0,99}$/u;

const path = shapeOf<PathStatus>()({
  enabled: boolean,
  state: nearest(PATH_STATES, 'idle'),
  since: instant,
  // Runners of earlier versions do not say these two.
  down_since: orElse(orNull(instant), null),
  attempts: count,
  next_retry_at: orElse(orNull(instant), null),
  last_error: orNull(sentence),
  refused: orElse(boolean, false),
});

const channelLevels = list(measure, MAX_TRACKS);
const trackLevels = shapeOf<TrackLevels>()({
  track: count,
  peak_dbfs: channelLevels,
  rms_dbfs: channelLevels,
  momentary_lufs: orNoMeasure,
  short_term_lufs: orNoMeasure,
  integrated_lufs: orNoMeasure,
});

const source = shapeOf<SourceStatus>()({
  channelId: id,
  state: nearest(SOURCE_STATES, 'idle'),
  fps: measure,
  bitrate_kbps: measure,
  last_frame_at: orElse(orNull(instant), null),
  levels: optional(list(trackLevels, MAX_TRACKS)),
});

const condition = shapeOf<Condition>()({
  kind: oneOf(CONDITION_KINDS),
  since: instant,
  fps: optional(measure),
  wanted_fps: optional(measure),
  remedy: optional(sentence),
});

const encoding = shapeOf<EncodingStatus>()({
  encodingId: id,
  fps: measure,
  bitrate_kbps: measure,
  speed: measure,
  dropped: count,
  encoder: orElse(optional(oneOf(['software', ...HARDWARE_KINDS])), undefined),
});

const publishing = shapeOf<PublishingStatus>()({
  publishingId: id,
  name: title,
  type: word,
  primary: path,
  backup: orNull(path),
  // Runners of earlier versions have none.
  notes: orWithout(list(sentence, 50), []),
});

const keyRotation = shapeOf<KeyRotationReport>()({
  publishingId: id,
  providerId: rowId,
  contentid: text(255),
  tracks: list(oneOf(KEY_TRACKS), KEY_TRACKS.length),
  systems: list(oneOf(SUPPORTED_SYSTEMS), SUPPORTED_SYSTEMS.length),
  encryption_mode: oneOf(['cenc', 'cbcs']),
  periodMs: rowId,
  present: count,
  last: count,
});

const runtime = shapeOf<RuntimeStatus>()({
  logo: orNull(shape({ filename: title, position: word })),
  blackout: word,
  text: orNull(text(2000)),
  source: orNull(id),
});

const amount = numberFrom(0);
const watching = { now: count, seconds: amount };
const audience = shapeOf<ReportedAudience>()({
  ...watching,
  peak: count,
  sessions: count,
  by: shape({ session: count, token: count, address: count }),
  renditions: list(shape({ ...watching, encodingId: orNull(rowId) }), MAX_OUTPUTS),
  players: list(shape({ ...watching, player: word }), MAX_OUTPUTS),
  sums: shape({
    sessions: count,
    starts: count,
    start_ms: amount,
    stalls: count,
    stalled_ms: amount,
    watched_ms: amount,
  }),
  cached: boolean,
});

const cores = orElse(optional(numberFrom(0, 10_000)), undefined);
const watched = such(textOf(200), (given) => WATCHED.test(given), 'is no address of a run');

const fields = {
  runId,
  livestreamId: rowId,
  phase: oneOf(['starting', 'running', 'failed', 'stopped']),
  error: orNull(sentence),
  on_air_at: orElse(orNull(instant), null),
  source,
  conditions: optional(knownOf(condition, 20)),
  source_watched: orElse(optional(boolean), undefined),
  encodings: list(encoding, MAX_OUTPUTS),
  publishings: list(publishing, MAX_OUTPUTS),
  runtime,
  cpu_cores: cores,
  cores_taken: cores,
  disk: orElse(optional(shape({ free_bytes: measure, size_bytes: measure })), undefined),
  peaks: orElse(optional(pair(measure)), undefined),
  flags: orElse(optional(count), undefined),
  recordings: optional(list(shape({ publishingId: id, seconds: measure, bytes: count, files: count }), MAX_OUTPUTS)),
  take: optional(path),
  key_rotations: orElse(optional(list(keyRotation, MAX_OUTPUTS)), undefined),
  audience: orElse(optional(audience), undefined),
  gate: optional(
    shape({
      primary: boolean,
      backup: boolean,
      epoch: count,
      ready: boolean,
      through: boolean,
      primaries: orElse(optional(boolean), undefined),
      backups: orElse(optional(oneOf(BACKUPS)), undefined),
    }),
  ),
  watch: knownOf(shape({ publishingId: id, path: watched, access: optional(oneOf(['token'])) }), MAX_OUTPUTS),
} satisfies Record<keyof RunReport, Form<unknown>>;

/** From any place: the cloud platform watches under ids of its own. */
export const anyReport = shapeOf<RunReport>()(fields);

/** Those fields of a report that have changed. */
export const someOfReport = someOf<RunReport>(fields);

export const OPTIONAL_FIELDS = (Object.keys(fields) as (keyof RunReport)[]).filter(isOptional);

function isOptional(name: keyof RunReport): name is OptionalField {
  try {
    return fields[name](undefined) === undefined;
  } catch {
    // A report without it is none.
    return false;
  }
}

export const runReport: Form<RunReport> = made(anyReport, ownWatch);

/** A Device serves a run under the run's own path, and viewers are sent nowhere else. */
export function ownWatch(report: RunReport): RunReport {
  const isOwn = ({ publishingId, path: at }: RunReport['watch'][number]): boolean =>
    at.startsWith(playbackPath(report.livestreamId, publishingId));
  return { ...report, watch: report.watch.filter(isOwn) };
}
