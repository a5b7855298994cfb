/** Tries the disks of this Device again and again, for servers that ask and servers that watch. */
import { join } from 'node:path';
import { STORAGE_USES, type DeviceStorage, type StorageUse } from '../../../domain/shapes/devices/device-storage.ts';
import type { Log } from '../../../domain/base/log.ts';
import { readCached, writeJson } from '../../atomic-file.ts';
import { isShort } from '../../disk-reserve.ts';
import { liveRoot, recordingsRoot } from '../../run-dir.ts';
import { tryDisk, type DiskPlace, type DiskTrial } from './disk-trial.ts';

const EVERY_MS = 30_000;
/** A network share whose server is gone answers never. */
const LIMIT_MS = 3000;
const SILENT: DiskTrial = { total: null, free: null, status: 'unknown' };

export interface StorageWatchDeps {
  deviceDir: string;
  log: Pick<Log, 'warn'>;
  /** Ends it with the agent. */
  signal: AbortSignal;
  /** Left out: half a minute. */
  everyMs?: number;
}

type Places = Partial<Record<StorageUse, DiskPlace>>;

/** `<device>/storage.json`: where the disks were mounted. Without the file they count as right where they are. */
function placesFile(deviceDir: string): string {
  return join(deviceDir, 'storage.json');
}

export class StorageWatch {
  private readonly deps: StorageWatchDeps;
  private readonly dirs: Record<StorageUse, string>;
  private readonly found = new Map<StorageUse, DeviceStorage>();
  /** A disk that does not answer holds a thread of this process, and is not asked twice. */
  private readonly trying = new Set<StorageUse>();
  private readonly watchers = new Set<(storage: DeviceStorage[]) => void>();
  private places: Places;
  /** Resolves once each disk was tried, or was found not to answer. */
  readonly isTried: Promise<void>;
  private onTried: () => void = () => undefined;

  constructor(deps: StorageWatchDeps) {
    this.deps = deps;
    const { deviceDir, everyMs = EVERY_MS } = deps;
    this.dirs = { recordings: recordingsRoot(deviceDir), segments: liveRoot(deviceDir) };
    this.places = (readCached(placesFile(deviceDir)) as Places | undefined) ?? {};
    this.isTried = new Promise((resolve) => (this.onTried = resolve));
    const timer = setInterval(() => this.look(), everyMs);
    timer.unref();
    deps.signal.addEventListener('abort', () => clearInterval(timer));
    this.look();
  }

  get storage(): DeviceStorage[] {
    return STORAGE_USES.flatMap((use) => this.found.get(use) ?? []);
  }

  /** Calls back after each trial. */
  watch(watcher: (storage: DeviceStorage[]) => void): () => void {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  }

  private look(): void {
    for (const use of STORAGE_USES) this.tryOne(use);
  }

  private tryOne(use: StorageUse): void {
    if (this.trying.has(use)) return;
    this.trying.add(use);
    const late = setTimeout(() => this.take(use, SILENT), LIMIT_MS);
    late.unref();
    void tryDisk(this.dirs[use], this.places[use]).then((trial) => {
      clearTimeout(late);
      this.trying.delete(use);
      this.take(use, trial);
    });
  }

  private take(use: StorageUse, { place, total, free, status }: DiskTrial): void {
    const wasFull = this.found.get(use)?.status === 'full';
    const isFull = status === 'mounted' && total !== null && free !== null && isShort(use, { free, total }, wasFull);
    this.found.set(use, { use, total, free, status: isFull ? 'full' : status });
    if (place !== undefined) this.keepPlace(use, place);
    if (this.found.size === STORAGE_USES.length) this.onTried();
    for (const watcher of this.watchers) watcher(this.storage);
  }

  private keepPlace(use: StorageUse, place: DiskPlace): void {
    const { deviceDir, log } = this.deps;
    const kept = this.places[use];
    if (kept?.path === place.path && kept.mount === place.mount) return;
    this.places = { ...this.places, [use]: place };
    writeJson(placesFile(deviceDir), this.places).catch((error: unknown) => {
      log.warn({ err: error }, 'Where the disks of this Device are mounted could not be written down.');
    });
  }
}
