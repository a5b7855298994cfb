/** The state of a Device's disks makes events, and refuses starts. */
import type { Device } from '../../shapes/devices/device.ts';
import {
  STORAGE_USES,
  type StorageState,
  type StorageStates,
  type StorageUse,
} from '../../shapes/devices/device-storage.ts';
import type { StartConfigEntry } from '../../shapes/broadcasts/livestream.ts';
import type { Publishing } from '../../shapes/destinations/publishing.ts';
import type { Run } from '../../shapes/broadcasts/run.ts';
import { AppError } from '../../base/errors.ts';
import { called, calledIn } from '../../base/sentence.ts';
import type { Tx, View } from '../../ports/store.ts';
import { DESTINATION_ROWS } from '../../types/destination-types.ts';
import { addEvent } from '../rows/event-log.ts';

const CONTENTS: Record<StorageUse, string> = { recordings: 'Recordings', segments: 'segments' };

/** Each begins behind "The disk of its … ". */
const FINDINGS: Record<StorageState, string> = {
  mounted: 'takes data again.',
  readonly: 'cannot be written to: mount it for writing, and see the log of the system for why it is not.',
  full: 'is full: delete what is not needed, or make room on the machine.',
  missing:
    'is not mounted: mount it where it was. Where it is not to come back, remove storage.json in the folder of the Device, and start its agent anew.',
  unknown: 'does not answer: see whether the server of a network share can be reached.',
};
export const STORAGE_SEVERITIES = {
  mounted: 'info',
  readonly: 'error',
  full: 'error',
  missing: 'error',
  unknown: 'warning',
} as const;
/** A disk that does not answer may do so in a moment; the Recording tries by itself. */
const REFUSED: readonly StorageState[] = ['readonly', 'full', 'missing'];

export function haveChanged(before: StorageStates | undefined, states: StorageStates): boolean {
  return STORAGE_USES.some((use) => before?.[use] !== states[use]);
}

/** Continues a sentence that begins with the Device's name; undefined while it may write Recordings, or does not tell. */
export function recordingRefusal({ storage_states: states }: Pick<Device, 'storage_states'>): string | undefined {
  const state = states?.recordings;
  return state !== undefined && REFUSED.includes(state)
    ? `keeps no Recordings now: the disk of its Recordings ${FINDINGS[state]}`.replace(/\.$/u, '')
    : undefined;
}

export function storageFinding(use: StorageUse, state: StorageState): string {
  return `The disk of its ${CONTENTS[use]} ${FINDINGS[state]}`;
}

/** Keeps the states in the row of the Device, and tells each that has changed: of the Device, and of the runs that write there. */
export function noteStorage(tx: Tx, deviceId: number, states: StorageStates, now: string): void {
  const device = tx.get('devices', deviceId);
  if (device === undefined || !haveChanged(device.storage_states, states)) return;
  const { storage_states: before, ...row } = device;
  tx.put('devices', Object.keys(states).length === 0 ? row : { ...row, storage_states: states });
  for (const use of STORAGE_USES) {
    const status = states[use];
    if (status === undefined || status === before?.[use]) continue;
    // A disk that is well when it is first told of is no news.
    if (before?.[use] === undefined && status === 'mounted') continue;
    const message = `${calledIn(tx, 'Device', deviceId)}: ${storageFinding(use, status)}`;
    const data = { deviceId, use, status, before: before?.[use] ?? null };
    for (const livestreamId of [null, ...writersOf(tx, deviceId, use)])
      addEvent(tx, now, livestreamId, { kind: 'device_storage', severity: STORAGE_SEVERITIES[status], message, data });
  }
}

/** `entries` are those of a start; each Destination is one of `publishings`. */
export function writesRecording(
  publishings: readonly Pick<Publishing, 'id' | 'type'>[],
  entries: readonly Pick<StartConfigEntry, 'publishingId' | 'primary' | 'backup'>[],
): boolean {
  return entries.some(({ publishingId, primary, backup }) => {
    const type = publishings.find(({ id }) => id === publishingId)?.type;
    return type !== undefined && (primary || backup) && DESTINATION_ROWS[type].disk === 'recordings';
  });
}

/** Whether the run on air records now; `publishings` are those that it is bound to. */
export function isRecordingNow(
  publishings: Parameters<typeof writesRecording>[0],
  { startConfig, takes }: Pick<Run, 'startConfig' | 'takes'>,
): boolean {
  return takes?.isOpen === true || writesRecording(publishings, startConfig);
}

/** Throws AppError unavailable where the Device of a run on air may write no Recording that is begun now. */
export function assertRecordable(view: View, deviceId: number | null): void {
  const device = deviceId === null ? undefined : view.get('devices', deviceId);
  const why = device && recordingRefusal(device);
  if (device === undefined || why === undefined) return;
  throw new AppError('unavailable', `${called('Device', device)} ${why}.`, {
    facts: { reason: 'disk', deviceId },
    remedy: 'See to the disk of the Device, which is looked at each half minute, then call again.',
  });
}

function writersOf(view: View, deviceId: number, use: StorageUse): number[] {
  const { rows } = view.find('runs', { where: { deviceId, status: { in: [1, 2] } } });
  return rows.filter((run) => writes(view, run, use)).map(({ id }) => id);
}

function writes(view: View, { startConfig, takes }: Readonly<Run>, use: StorageUse): boolean {
  if (use === 'recordings' && takes?.isOpen === true) return true;
  return startConfig.some(({ publishingId, primary, backup }) => {
    const publishing = primary || backup ? view.get('publishings', publishingId) : undefined;
    return publishing !== undefined && DESTINATION_ROWS[publishing.type].disk === use;
  });
}
