import type { Tool } from '../toolkit/tool.ts';
import { channel_slot_usage } from './channel_slot_usage.ts';
import { get_livestream_status } from './get_livestream_status.ts';
import { get_start_targets } from './get_start_targets.ts';
import { schedule_livestream } from './schedule_livestream.ts';
import { start_livestream } from './start_livestream.ts';
import { stop_livestream } from './stop_livestream.ts';
import { toggle_destination } from './toggle_destination.ts';
import { update_destination_stream_key } from './update_destination_stream_key.ts';

export const workflows: readonly Tool[] = [
  channel_slot_usage,
  get_livestream_status,
  get_start_targets,
  schedule_livestream,
  start_livestream,
  stop_livestream,
  toggle_destination,
  update_destination_stream_key,
];
