import { z } from 'zod/v3';
import { instantInput } from '../../time/instant.ts';
import { idField, instantField } from '../../base/schema.ts';

export const EVENT_KINDS = [
  'start_requested',
  'started',
  'start_failed',
  'stop_requested',
  'stopped',
  'source_lost',
  'source_restored',
  'source_switched',
  'source_format_changed',
  'source_gap',
  'failover',
  'encoder_restarted',
  'encoder_stalled',
  'encoder_fallback',
  'destination_up',
  'destination_down',
  'destination_retrying',
  'destination_failed',
  'keys_replaced',
  'keys_missing',
  'runtime_changed',
  'schedule_started',
  'schedule_stopped',
  'schedule_missed',
  'action_executed',
  'schedule_warning',
  'action_failed',
  'recording_opened',
  'recording_closed',
  'recording_finished',
  'recording_backed_up',
  'recording_backup_failed',
  'recording_deleted',
  'clip_created',
  'adopted',
  'captions_lost',
  'ingest_connected',
  'ingest_refused',
  'ingest_ended',
  'silence',
  'silence_ended',
  'black',
  'black_ended',
  'frozen',
  'frozen_ended',
  'low_fps',
  'low_fps_ended',
  'behind',
  'behind_ended',
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
  'acknowledged',
] as const;
export type EventKind = (typeof EVENT_KINDS)[number];
export const SEVERITIES = ['info', 'warning', 'error'] as const;
export type Severity = (typeof SEVERITIES)[number];

export const eventOutput = z
  .object({
    id: idField,
    at: instantField,
    livestreamId: z.number().int().nullable().describe('null: it concerns none, but a Channel or Device in data.'),
    kind: z.enum(EVENT_KINDS).describe('What happened.'),
    severity: z.enum(SEVERITIES),
    message: z.string().describe('One sentence for a person.'),
    data: z.record(z.unknown()).describe('Facts for a program; never a secret.'),
  })
  .strict();
export type LivestreamEvent = z.infer<typeof eventOutput>;

/** The filters of every list of events. */
export const eventFilters = {
  kind: z.enum(EVENT_KINDS).optional().describe('Only events of this kind.'),
  severity: z.enum(SEVERITIES).optional().describe('Only events of this severity.'),
  from: instantInput('Only events at or after it.').optional(),
  to: instantInput('Only events before it.').optional(),
};
