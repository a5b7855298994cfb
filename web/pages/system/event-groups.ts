/** The kinds of events in groups, as people look for one. A new kind does not compile before it has its group. */
import type { RowOf } from '../../api/operation-types.ts';
import type { ChoiceGroup } from '../../ui/form/form-context.ts';
import { words } from './words.ts';

type Kind = RowOf<'getAllMailRules'>['conditions'][number];

const GROUPS = ['run', 'source', 'media', 'destination', 'plan', 'recording', 'device', 'server'] as const;
export type EventGroup = (typeof GROUPS)[number];

const GROUP_OF: Readonly<Record<Kind, EventGroup>> = {
  start_requested: 'run',
  started: 'run',
  start_failed: 'run',
  stop_requested: 'run',
  stopped: 'run',
  runtime_changed: 'run',
  adopted: 'run',
  run_moved: 'run',
  run_given_up: 'run',
  source_lost: 'source',
  source_restored: 'source',
  source_switched: 'source',
  source_format_changed: 'source',
  source_gap: 'source',
  failover: 'source',
  ingest_connected: 'source',
  ingest_refused: 'source',
  ingest_ended: 'source',
  silence: 'media',
  silence_ended: 'media',
  black: 'media',
  black_ended: 'media',
  frozen: 'media',
  frozen_ended: 'media',
  low_fps: 'media',
  low_fps_ended: 'media',
  behind: 'media',
  behind_ended: 'media',
  captions_lost: 'media',
  encoder_restarted: 'media',
  encoder_stalled: 'media',
  encoder_fallback: 'media',
  destination_up: 'destination',
  destination_down: 'destination',
  destination_retrying: 'destination',
  destination_failed: 'destination',
  keys_replaced: 'destination',
  keys_missing: 'destination',
  schedule_started: 'plan',
  schedule_stopped: 'plan',
  schedule_missed: 'plan',
  schedule_warning: 'plan',
  action_executed: 'plan',
  action_failed: 'plan',
  recording_opened: 'recording',
  recording_closed: 'recording',
  recording_finished: 'recording',
  recording_backed_up: 'recording',
  recording_backup_failed: 'recording',
  recording_deleted: 'recording',
  clip_created: 'recording',
  device_lost: 'device',
  device_returned: 'device',
  device_refused: 'device',
  device_not_understood: 'device',
  device_storage: 'device',
  device_drained: 'device',
  device_fenced: 'device',
  fleet_held: 'device',
  fleet_released: 'device',
  store_restored: 'server',
  acknowledged: 'server',
};

export function eventGroups(): ChoiceGroup[] {
  const kinds = Object.keys(GROUP_OF) as Kind[];
  return GROUPS.map((group) => ({
    label: words.value.mails.groups[group],
    choices: kinds.filter((kind) => GROUP_OF[kind] === group),
  }));
}
