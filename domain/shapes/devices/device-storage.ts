/** The disks of a Device, as its agent tries them. */
import { z } from 'zod/v3';

export const STORAGE_USES = ['recordings', 'segments'] as const;
export type StorageUse = (typeof STORAGE_USES)[number];
export const STORAGE_STATES = ['mounted', 'readonly', 'full', 'missing', 'unknown'] as const;
export type StorageState = (typeof STORAGE_STATES)[number];

export const storageStateField = z.enum(STORAGE_STATES);

const bytes = z.number().int().nullable();

export const storageField = z
  .object({
    use: z.enum(STORAGE_USES).describe('recordings: Recordings. segments: what the Device serves to viewers.'),
    total: bytes.describe('Size of its disk in bytes; null: not known.'),
    free: bytes.describe('Free bytes; null: not known.'),
    status: storageStateField.describe(
      'mounted: it can be written to. readonly, full: it cannot. missing: its disk is not mounted. unknown: it does not answer, or the Device does not.',
    ),
  })
  .strict();
export type DeviceStorage = z.infer<typeof storageField>;

/** The last state that was told of each use; empty before the first. */
export type StorageStates = Partial<Record<StorageUse, StorageState>>;

export function statesOf(storage: readonly Pick<DeviceStorage, 'use' | 'status'>[]): StorageStates {
  return Object.fromEntries(storage.map(({ use, status }) => [use, status]));
}

const WORST_FIRST: readonly StorageState[] = ['missing', 'readonly', 'full', 'unknown', 'mounted'];

/** The worst of its disks stands for the Device. */
export function mountStatusOf(states: StorageStates): StorageState {
  return WORST_FIRST.find((state) => Object.values(states).includes(state)) ?? 'unknown';
}
