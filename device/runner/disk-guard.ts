/**
 * Stops the outputs that write to the Device's disk before it is full: Recordings first, what viewers watch last. It leaves alone
 * everything that goes elsewhere, and lets the stopped outputs go on when there is room again.
 */
import type { RunReport } from '../../domain/shapes/broadcasts/run.ts';
import type { StorageUse } from '../../domain/shapes/devices/device-storage.ts';
import { diskSpaceOf, megabytes } from '../../linux/disk-space.ts';
import { isShort, reserveFor } from '../disk-reserve.ts';
import type { DestinationPath } from './outputs/destination-path.ts';
import { DESTINATION_ROWS, PUBLISHING_TYPES, type PublishingType } from '../../domain/types/destination-types.ts';

export interface DiskUser {
  type: PublishingType;
  paths: readonly DestinationPath[];
}

/** Free and total bytes of the filesystem that holds a folder. It rejects with the filesystem's own error. */
export type LookAtDisk = (dir: string) => Promise<NonNullable<RunReport['disk']>>;

export class DiskGuard {
  private readonly dirs: { recordings: string; segments: string };
  private users: readonly DiskUser[];
  private readonly lookAt: LookAtDisk;
  /** Types whose outputs wait for room, with the words and facts of that. */
  private readonly low = new Map<PublishingType, { reason: string; data: Record<string, unknown> }>();
  private looking = false;
  /** The filesystem that holds the Recordings; undefined before the first look. */
  disk: RunReport['disk'];

  /** The folders of Recordings and of segments may lie on two filesystems, and need not exist yet. */
  constructor(
    dirs: { recordings: string; segments: string },
    users: readonly DiskUser[],
    lookAt: LookAtDisk = diskSpaceOf,
  ) {
    this.dirs = dirs;
    this.users = users;
    this.lookAt = lookAt;
  }

  /** An output that joins while there is no room waits for it, too. */
  join(user: DiskUser): void {
    this.users = [...this.users, user];
    const low = this.low.get(user.type);
    if (low !== undefined) for (const path of user.paths) path.pause(low.reason, low.data);
  }

  leave(paths: DiskUser['paths']): void {
    this.users = this.users.filter((user) => !user.paths.some((path) => paths.includes(path)));
  }

  /** It is called every second or two; a filesystem that hangs (a network share) is not asked again until it answers. */
  async look(): Promise<void> {
    if (this.looking) return;
    this.looking = true;
    try {
      const [recordings, segments] = await Promise.all([
        this.lookAt(this.dirs.recordings),
        this.lookAt(this.dirs.segments),
      ]);
      this.disk = recordings;
      for (const type of PUBLISHING_TYPES) {
        const { disk } = DESTINATION_ROWS[type];
        if (disk !== null) this.updatePaths(type, disk, disk === 'recordings' ? recordings : segments);
      }
    } catch {
      // A filesystem that cannot tell its free space fails writes by itself, and those failures are reported.
    } finally {
      this.looking = false;
    }
  }

  private updatePaths(
    type: PublishingType,
    use: StorageUse,
    { free_bytes, size_bytes }: NonNullable<RunReport['disk']>,
  ): void {
    const wasLow = this.low.has(type);
    const isLow = isShort(use, { free: free_bytes, total: size_bytes }, wasLow);
    if (isLow === wasLow) return;
    const reserve = reserveFor(use, size_bytes);
    const reason = `the disk of the Device is nearly full (${megabytes(free_bytes)} free, ${megabytes(reserve)} must stay free); make room, then it goes on by itself`;
    const data = { reason: 'disk', free_bytes, reserve_bytes: Math.round(reserve) };
    if (isLow) this.low.set(type, { reason, data });
    else this.low.delete(type);
    for (const user of this.users) {
      if (user.type !== type) continue;
      for (const path of user.paths) {
        if (isLow) path.pause(reason, data);
        else path.resume();
      }
    }
  }
}
