/** The forms of what a Device says by itself: one JSON text a line. */
import type { DeviceMessage } from '../ports/device-link.ts';
import { STORAGE_STATES, STORAGE_USES, type DeviceStorage } from '../shapes/devices/device-storage.ts';
import { EVENT_KINDS, type EventKind } from '../shapes/installation/event.ts';
import { INGEST_STATES, REFUSAL_REASONS, type IngestEvent, type IngestReport } from '../shapes/sources/ingest.ts';
import { jsonOf } from '../base/json.ts';
import type { HeldRecording } from '../shapes/media/recording.ts';
import type { RunEvent } from '../shapes/broadcasts/run.ts';
import {
  count,
  facts,
  id,
  instant,
  measure,
  NotUnderstood,
  orNoMeasure,
  rowId,
  runId,
  sentence,
  understood,
  word,
} from './fields.ts';
import {
  boolean,
  knownOf,
  list,
  nearest,
  numberFrom,
  oneOf,
  optional,
  orElse,
  orNull,
  orWithout,
  shape,
  shapeOf,
  textOf,
  type Form,
} from './forms.ts';
import { changedReport, type ChangedReport } from './report-changes.ts';
import { runReport } from './run-report.ts';

/** Orders, Schedules, actions and what becomes of Recordings are told by the server. */
const SERVER_KINDS: ReadonlySet<EventKind> = new Set([
  'start_requested',
  'stop_requested',
  'schedule_started',
  'schedule_stopped',
  'schedule_missed',
  'schedule_warning',
  'action_executed',
  'action_failed',
  'recording_finished',
  'recording_backed_up',
  'recording_backup_failed',
  'recording_deleted',
  'clip_created',
  'ingest_connected',
  'ingest_refused',
  'ingest_ended',
  'device_lost',
  'device_returned',
  'device_refused',
  'device_not_understood',
  'device_storage',
  'device_drained',
  'device_fenced',
  'fleet_held',
  'fleet_released',
  'run_moved',
  'run_given_up',
  'store_restored',
]);
const RUN_KINDS: ReadonlySet<string> = new Set(EVENT_KINDS.filter((kind) => !SERVER_KINDS.has(kind)));
const INGEST_KINDS = ['ingest_connected', 'ingest_refused', 'ingest_ended'] as const;

const MAX_LISTENERS = 5000;
const severity = nearest(['info', 'warning', 'error'], 'warning');

/** Its kind is judged apart. */
export const runEvent = shapeOf<RunEvent>()({
  runId,
  livestreamId: rowId,
  seq: rowId,
  at: instant,
  kind: word,
  severity,
  message: sentence,
  data: facts,
});

const ingestEvent = shapeOf<IngestEvent>()({
  epoch: word,
  seq: rowId,
  at: instant,
  channelId: rowId,
  kind: word,
  severity: nearest(['info', 'warning'], 'warning'),
  message: sentence,
  data: facts,
});

export const videoFacts = shape({
  codec: word,
  width: count,
  height: count,
  fps: orNoMeasure,
  interlaced: orElse(orNull(boolean), null),
  rotation: measure,
  hdr: orNull(word),
});
export const audioFacts = shape({ codec: word, channels: count, sample_rate: count, language: orNull(word) });

const ingest = shapeOf<IngestReport>()({
  channelId: rowId,
  state: nearest(
    INGEST_STATES.filter((state) => state !== 'off'),
    'waiting',
  ),
  error: orNull(sentence),
  from: orNull(word),
  since: orElse(orNull(instant), null),
  bitrate_kbps: measure,
  video: orNull(videoFacts),
  audio: list(audioFacts, 64),
  captions: orWithout(list(word, 64), []),
  last_refusal: orElse(
    orNull(shape({ at: instant, from: word, reason: oneOf(REFUSAL_REASONS), message: sentence })),
    null,
  ),
});

const track = shape({
  trackId: count,
  kind: oneOf(['video', 'audio']),
  codec: word,
  language: orNull(word),
  bitrate_kbps: orNoMeasure,
  width: orNull(count),
  height: orNull(count),
});

export const heldRecording = shapeOf<HeldRecording>()({
  livestreamId: rowId,
  runId,
  publishingId: id,
  // The row of one whose state is unknown here stays as it is.
  state: nearest(['recording', 'joining', 'finished', 'failed'], 'recording'),
  reason: orNull(sentence),
  container: nearest(['mp4', 'ts'], 'mp4'),
  started_at: instant,
  ended_at: instant,
  duration_seconds: orNoMeasure,
  size_bytes: count,
  files: count,
  tracks: knownOf(track, 64),
});

/** A state that is unknown here is none that refuses a start. */
export const storage = knownOf(
  shapeOf<DeviceStorage>()({
    use: oneOf(STORAGE_USES),
    total: orNull(count),
    free: orNull(count),
    status: nearest(STORAGE_STATES, 'unknown'),
  }),
  20,
);

/** The form of each message, and its longest line: what is longer is not read. */
const MESSAGES: Record<(DeviceMessage | ChangedReport)['type'], { maxChars: number; form: Form<object> }> = {
  report: { maxChars: 256 << 10, form: shape({ report: runReport }) },
  changed: { maxChars: 256 << 10, form: changedReport },
  event: { maxChars: 64 << 10, form: shape({ event: runEvent }) },
  gone: { maxChars: 1 << 10, form: shape({ runId }) },
  lease: { maxChars: 1 << 10, form: shape({ asked_ms: numberFrom(0) }) },
  recording: { maxChars: 64 << 10, form: shape({ recording: heldRecording }) },
  ingests: { maxChars: 4 << 20, form: shape({ ingests: list(ingest, MAX_LISTENERS) }) },
  ingest_event: { maxChars: 64 << 10, form: shape({ event: ingestEvent }) },
  storage: { maxChars: 64 << 10, form: shape({ storage, at: orElse(optional(instant), undefined) }) },
};
const anyMessage = shape({ type: textOf(Infinity) });

/**
 * Undefined for a message, or an event, of a kind that this version does not know or that a Device may not say. Throws NotUnderstood for
 * what is no message.
 */
export function readMessage(line: string): DeviceMessage | ChangedReport | undefined {
  return messageOf(jsonOf(line), line.length);
}

/** The same for a line that was parsed; `chars` is its length. */
export function messageOf(given: unknown, chars: number): DeviceMessage | ChangedReport | undefined {
  const { type } = understood('message', anyMessage, given);
  if (!Object.hasOwn(MESSAGES, type)) return undefined;
  const { maxChars, form } = MESSAGES[type as keyof typeof MESSAGES];
  if (chars > maxChars) throw new NotUnderstood(`${type}: ${chars} characters, more than ${maxChars}`);
  const message = { type, ...understood(type, form, given) } as DeviceMessage | ChangedReport;
  if (message.type === 'event' && !RUN_KINDS.has(message.event.kind)) return undefined;
  if (message.type === 'ingest_event' && !INGEST_KINDS.includes(message.event.kind)) return undefined;
  return message;
}
