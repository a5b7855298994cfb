/** The forms of what a Device says by itself: one JSON text a line. */
import { z } from 'zod/v3';
import type { DeviceMessage } from '../device-link.ts';
import { EVENT_KINDS, type EventKind } from '../event.ts';
import { INGEST_STATES, REFUSAL_REASONS, type IngestEvent, type IngestReport } from '../ingest.ts';
import { jsonOf } from '../json.ts';
import type { HeldRecording } from '../recording.ts';
import type { RunEvent } from '../run.ts';
import {
  count,
  facts,
  id,
  instant,
  knownOf,
  list,
  measure,
  NotUnderstood,
  orNoMeasure,
  orNull,
  rowId,
  runId,
  sentence,
  shapeOf,
  understood,
  word,
} from './fields.ts';
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
  'run_given_up',
  'store_restored',
]);
const RUN_KINDS: ReadonlySet<string> = new Set(EVENT_KINDS.filter((kind) => !SERVER_KINDS.has(kind)));
const INGEST_KINDS = ['ingest_connected', 'ingest_refused', 'ingest_ended'] as const;

const MAX_LISTENERS = 5000;
const severity = z.enum(['info', 'warning', 'error']).catch('warning');

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
}) as unknown as z.ZodType<RunEvent, z.ZodTypeDef, unknown>;

const ingestEvent = shapeOf<IngestEvent>()({
  epoch: word,
  seq: rowId,
  at: instant,
  channelId: rowId,
  kind: word,
  severity: z.enum(['info', 'warning']).catch('warning'),
  message: sentence,
  data: facts,
}) as unknown as z.ZodType<IngestEvent, z.ZodTypeDef, unknown>;

export const videoFacts = z.object({
  codec: word,
  width: count,
  height: count,
  fps: orNoMeasure,
  interlaced: orNull(z.boolean()).catch(null),
  rotation: measure,
  hdr: orNull(word),
});
export const audioFacts = z.object({ codec: word, channels: count, sample_rate: count, language: orNull(word) });

const ingest: z.ZodType<IngestReport, z.ZodTypeDef, unknown> = shapeOf<IngestReport>()({
  channelId: rowId,
  state: z.enum(INGEST_STATES).exclude(['off']).catch('waiting'),
  error: orNull(sentence),
  from: orNull(word),
  since: orNull(instant).catch(null),
  bitrate_kbps: measure,
  video: orNull(videoFacts),
  audio: list(audioFacts, 64),
  captions: list(word, 64).default([]),
  last_refusal: orNull(z.object({ at: instant, from: word, reason: z.enum(REFUSAL_REASONS), message: sentence })).catch(
    null,
  ),
});

const track = z.object({
  trackId: count,
  kind: z.enum(['video', 'audio']),
  codec: word,
  language: orNull(word),
  bitrate_kbps: orNoMeasure,
  width: orNull(count),
  height: orNull(count),
});

export const heldRecording: z.ZodType<HeldRecording, z.ZodTypeDef, unknown> = shapeOf<HeldRecording>()({
  livestreamId: rowId,
  runId,
  publishingId: id,
  // The row of one whose state is unknown here stays as it is.
  state: z.enum(['recording', 'joining', 'finished', 'failed']).catch('recording'),
  reason: orNull(sentence),
  container: z.enum(['mp4', 'ts']).catch('mp4'),
  started_at: instant,
  ended_at: instant,
  duration_seconds: orNoMeasure,
  size_bytes: count,
  files: count,
  tracks: knownOf(track, 64),
});

/** The form of each message, and its longest line: what is longer is not read. */
const MESSAGES: Record<DeviceMessage['type'], { maxChars: number; schema: z.ZodType<object, z.ZodTypeDef, unknown> }> =
  {
    report: { maxChars: 256 << 10, schema: z.object({ report: runReport }) },
    event: { maxChars: 64 << 10, schema: z.object({ event: runEvent }) },
    gone: { maxChars: 1 << 10, schema: z.object({ runId }) },
    recording: { maxChars: 64 << 10, schema: z.object({ recording: heldRecording }) },
    ingests: { maxChars: 4 << 20, schema: z.object({ ingests: list(ingest, MAX_LISTENERS) }) },
    ingest_event: { maxChars: 64 << 10, schema: z.object({ event: ingestEvent }) },
  };
const anyMessage = z.object({ type: z.string() });

/**
 * Undefined for a message, or an event, of a kind that this version does not know or that a Device may not say. Throws NotUnderstood for
 * what is no message.
 */
export function readMessage(line: string): DeviceMessage | undefined {
  const given = jsonOf(line);
  const { type } = understood('message', anyMessage, given);
  if (!Object.hasOwn(MESSAGES, type)) return undefined;
  const { maxChars, schema } = MESSAGES[type as DeviceMessage['type']];
  if (line.length > maxChars) throw new NotUnderstood(`${type}: ${line.length} characters, more than ${maxChars}`);
  const message = { type, ...understood(type, schema, given) } as DeviceMessage;
  if (message.type === 'event' && !RUN_KINDS.has(message.event.kind)) return undefined;
  if (message.type === 'ingest_event' && !INGEST_KINDS.includes(message.event.kind)) return undefined;
  return message;
}
