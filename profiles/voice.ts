/** The profile voice: what a person says to a broadcast from across the room. How is it going, start, stop, show this, hide that. */
import type { Profile } from '../toolkit/access.ts';
import type { Tool } from '../toolkit/tool.ts';

/** A misheard word must not delete anything, so such a call is done only when it is confirmed. */
type Execution = 'at_once' | 'when_confirmed';

/**
 * Every operation and workflow of the profile. Voice is for operators on the day: reads, switches on air, Schedules, and the groups and
 * Channels of today. It has nothing that only an administrator may do, and no stream key, which nobody should have to say aloud.
 */
export const VOICE_OPERATIONS: Readonly<Record<string, Execution>> = {
  channel_slot_usage: 'at_once',
  get_livestream_status: 'at_once',
  get_start_targets: 'at_once',
  schedule_livestream: 'at_once',
  start_livestream: 'at_once',
  stop_livestream: 'at_once',
  toggle_destination: 'at_once',

  getAllChannels: 'at_once',
  getAllDeviceGroups: 'at_once',
  getAllDevices: 'at_once',
  getAllEncodingGroups: 'at_once',
  getAllEncodings: 'at_once',
  getAllEvents: 'at_once',
  getAllLivestreams: 'at_once',
  getAllPlannedActions: 'at_once',
  getAllPublishingGroups: 'at_once',
  getAllPublishings: 'at_once',
  getDevicesLiveStatus: 'at_once',
  getDevicesStatus: 'at_once',
  getLivestreamActions: 'at_once',
  getLivestreamEvents: 'at_once',
  getLivestreamsStatus: 'at_once',
  getLivestreamStatus: 'at_once',
  getRecordings: 'at_once',
  getRecordingTracks: 'at_once',
  listAssets: 'at_once',

  runtimeApplyBlackout: 'at_once',
  runtimeApplyLogo: 'at_once',
  runtimeTogglePublishings: 'at_once',
  setLivestreamText: 'at_once',
  startLivestream: 'at_once',
  stopLivestream: 'at_once',

  addSchedule: 'at_once',
  deleteSchedule: 'when_confirmed',
  getAllSchedules: 'at_once',
  getScheduleById: 'at_once',
  getScheduleOccurrences: 'at_once',
  listScheduleSkips: 'at_once',
  patchScheduleUntil: 'at_once',
  // It deletes a skip, and so gives back what was taken away.
  restoreSkip: 'at_once',
  skipOccurrence: 'at_once',
  updateSchedule: 'at_once',

  addPublishingGroup: 'at_once',
  deletePublishingGroup: 'when_confirmed',
  updateChannel: 'at_once',
  updatePublishingGroup: 'at_once',
};

export const voice: Profile = {
  name: 'voice',
  spoken: true,
  allows: ({ name }) => Object.hasOwn(VOICE_OPERATIONS, name),
};

export function needsConfirmation({ name }: Pick<Tool, 'name'>): boolean {
  return VOICE_OPERATIONS[name] === 'when_confirmed';
}
