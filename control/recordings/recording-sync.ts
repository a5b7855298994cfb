/** Keeps the rows of Recordings true to the files on the Devices: after any crash the Device's account counts in the end. */
import { toIso, type Clock } from '../../domain/time/clock.ts';
import { ChangeSignal } from '../../domain/base/change-signal.ts';
import { KeyedQueue } from '../../domain/base/keyed-queue.ts';
import type { Log } from '../../domain/base/log.ts';
import { isTake, type HeldRecording, type Recording } from '../../domain/shapes/media/recording.ts';
import type { RecordingMedia } from '../../domain/ports/recording-media.ts';
import type { Run } from '../../domain/shapes/broadcasts/run.ts';
import type { Store, Tx } from '../../domain/ports/store.ts';
import type { DeviceCommits } from '../device-commits.ts';
import type { KnownDevice } from '../device-registry.ts';
import { erasOf } from '../../domain/rules/installation/store-eras.ts';
import { called, calledIn } from '../../domain/base/sentence.ts';
import type { DeviceRegistry } from '../device-registry.ts';
import type { RowCache } from '../row-cache.ts';
import { addRecordingEvent, findJoined, findRecording, openRecording } from './recording-rows.ts';
import { RecordingUploads } from './recording-uploads.ts';

export interface RecordingSyncDeps {
  store: Store;
  commits: Pick<DeviceCommits, 'settle'>;
  clock: Clock;
  log: Log;
  /** Recordings are named by its clock; left out: UTC. */
  timezone?: string | undefined;
  rows: Pick<RowCache, 'run' | 'runsAt' | 'devices'>;
  registry: Pick<DeviceRegistry, 'get'>;
  /** Left out: there is no bucket. */
  media?: RecordingMedia | undefined;
}

/** A short Recording is one file within 0.5 s of its run's end; nobody waits longer for the stop of a long one. */
const SETTLE_MS = 1000;
const RETRY_MS = 5000;
/** The next keyframe may be some seconds away where fragments are recorded. */
const BEGIN_MS = 6000;
/** A Device with more files than this that nothing here knows of is named no longer in the log. */
const MAX_UNKNOWN = 1000;

export class RecordingSync {
  private readonly deps: Omit<RecordingSyncDeps, 'media'>;
  /** Rows that are being written, by id. */
  private readonly open = new Map<number, Readonly<Recording>>();
  private readonly openChanged = new ChangeSignal();
  /** Files without a row that the log has named already. */
  private readonly unknownKeys = new Set<string>();
  /** Each Device has its own: one row has one Device. */
  private readonly queue = new KeyedQueue<number>();
  private readonly uploads: RecordingUploads | undefined;
  private readonly hasBucket: boolean;
  private isClosed = false;

  constructor({ media, ...deps }: RecordingSyncDeps) {
    this.deps = deps;
    this.hasBucket = media !== undefined;
    this.uploads = media?.takes === true ? new RecordingUploads({ ...deps, media }) : undefined;
  }

  async load(): Promise<void> {
    const { rows } = await this.deps.store.find('recordings', { where: { status: 'recording' } });
    for (const row of rows) this.open.set(row.id, row);
    if (this.uploads !== undefined)
      for (const row of (await this.deps.store.find('recordings', {})).rows) this.uploads.follow(row.id, row);
    for (const deviceId of new Set(rows.map((row) => row.deviceId)))
      if ((await this.deps.store.get('devices', deviceId)) === undefined) this.markLost({ id: deviceId });
  }

  close(): void {
    this.isClosed = true;
    this.uploads?.close();
  }

  /** Reads the changed row anew. */
  async refresh(id: number): Promise<void> {
    const row = (await this.deps.store.get('recordings', id))?.row;
    if (row?.status === 'recording') this.open.set(id, row);
    else this.open.delete(id);
    this.uploads?.follow(id, row);
    this.openChanged.notify();
  }

  /** Answers the Recording that the run writes; the first if there are several. One that has ended on air is written no more. */
  openOf({ runId, takes }: Pick<Run, 'runId' | 'takes'>): number | null {
    const openTake = takes?.isOpen === true ? -takes.count : undefined;
    const isWritten = (row: Readonly<Recording>): boolean => !isTake(row) || row.publishingId === openTake;
    return [...this.open.values()].find((row) => row.runId === runId && isWritten(row))?.id ?? null;
  }

  /** Resolves when the run's Recordings are finished, or after a second, because a long one needs its time. */
  async whenFinished(runId: string): Promise<void> {
    const { clock } = this.deps;
    const isOpen = (): boolean => [...this.open.values()].some((row) => row.runId === runId);
    await this.openChanged.until(() => !isOpen(), { clock, timeoutMs: SETTLE_MS });
  }

  /** Resolves with whether its first media is in a file, at the latest after some seconds. */
  async whenBegun(key: Pick<Recording, 'runId' | 'publishingId'>): Promise<boolean> {
    const { clock } = this.deps;
    await this.openChanged.until(() => this.isOpen(key), { clock, timeoutMs: BEGIN_MS });
    return this.isOpen(key);
  }

  /** Resolves when the Recording is finished, or after a second, because a long one needs its time. */
  async whenEnded(key: Pick<Recording, 'runId' | 'publishingId'>): Promise<void> {
    const { clock } = this.deps;
    await this.openChanged.until(() => !this.isOpen(key), { clock, timeoutMs: SETTLE_MS });
  }

  private isOpen({ runId, publishingId }: Pick<Recording, 'runId' | 'publishingId'>): boolean {
    return [...this.open.values()].some((row) => row.runId === runId && row.publishingId === publishingId);
  }

  /** Takes a Device's account of one Recording; accounts are handled one after the other. */
  receive(deviceId: number, recording: HeldRecording): void {
    this.enqueue(deviceId, () => this.takeAccount(deviceId, recording));
  }

  /** Compares all rows of a Device that has come back with all that is on it. */
  sync(device: KnownDevice): void {
    const { link } = device;
    if (link.recordings === undefined) return;
    const list = link.recordings.list();
    list.then(
      (recordings) => this.enqueue(device.id, () => this.compare(device.id, recordings)),
      (error: unknown) => {
        this.deps.log.warn({ err: error, deviceId: device.id }, 'Recordings of a Device could not be compared yet');
        this.deps.clock.after(RETRY_MS, () => {
          if (device.online) this.sync(device);
        });
      },
    );
  }

  /** The Device has been deleted, so what it had not finished is out of reach. */
  markLost(device: { id: number; name?: string | undefined }): void {
    const { id: deviceId } = device;
    const rows = [...this.open.values()].filter((row) => row.deviceId === deviceId);
    this.enqueue(deviceId, async () => {
      for (const row of rows)
        await this.lose(row, () => `${called('Device', device)}, which was writing it, has been deleted.`);
    });
  }

  private async compare(deviceId: number, recordings: readonly HeldRecording[]): Promise<void> {
    for (const recording of recordings) await this.takeAccount(deviceId, recording);
    const keysOnDevice = new Set(recordings.map(keyOf));
    const { rows } = await this.deps.store.find('recordings', { where: { deviceId } });
    for (const row of rows)
      if (row.status !== 'failed' && row.objects?.whole === undefined && !keysOnDevice.has(keyOf(row)))
        await this.lose(row, (tx) => `Its files are no longer on ${calledIn(tx, 'Device', deviceId)}.`);
  }

  private async takeAccount(deviceId: number, recording: HeldRecording): Promise<void> {
    // The events of its run keep this row up to date.
    if (recording.state === 'recording') return;
    const { store, commits, clock, timezone } = this.deps;
    // Those that came before it.
    await commits.settle(deviceId);
    if (await this.isInBucket(deviceId, recording)) return;
    const attempt = (ordered: boolean): Promise<boolean> =>
      store.tx((tx) => writeRow(tx, { deviceId, timezone }, recording, ordered, toIso(clock.now())));
    const isWanted = async (): Promise<boolean> =>
      (await wasOrdered(store, deviceId, recording)) || (await isFromLostTime(store, deviceId, recording));
    const isKnown = (await attempt(false)) || ((await isWanted()) && (await attempt(true)));
    if (isKnown || this.unknownKeys.has(keyOf(recording)) || this.unknownKeys.size >= MAX_UNKNOWN) return;
    this.unknownKeys.add(keyOf(recording));
    this.deps.log.warn(
      { deviceId, ...recording },
      'A Device holds a Recording that nothing here knows of; it is left alone.',
    );
  }

  /** Resolves with whether it is whole in the bucket, so that the account is settled. */
  private async isInBucket(deviceId: number, recording: HeldRecording): Promise<boolean> {
    const row = await this.deps.store.tx((tx) => findRecording(tx, recording) ?? findJoined(tx, recording));
    if (row?.objects?.whole === undefined) return false;
    await this.uploads?.settle(deviceId, recording, row);
    return true;
  }

  private async lose(row: Readonly<Recording>, why: (tx: Tx) => string): Promise<void> {
    await this.deps.store.tx((tx) => {
      const present = tx.get('recordings', row.id);
      const run = tx.get('runs', row.livestreamId);
      // While its run goes on, the Device is about to report it.
      const isRunning = run?.runId === row.runId && (run.status === 1 || run.status === 2);
      if (present === undefined || present.status === 'failed' || (isRunning && run.deviceId === row.deviceId)) return;
      const now = toIso(this.deps.clock.now());
      // What was sent to the bucket is made whole by the server that has that duty.
      if (present.objects !== undefined && this.hasBucket) {
        tx.put('recordings', { ...present, objects: { ...present.objects, isLost: true } });
        return;
      }
      const ended_at = present.ended_at ?? now;
      const reason = why(tx);
      tx.put('recordings', { ...present, status: 'failed', errorstatus: reason, files: 0, ended_at, updated_at: now });
      addRecordingEvent(tx, now, present, {
        severity: 'error',
        message: `Recording "${present.name}" is lost: ${reason}`,
      });
    });
  }

  private enqueue(deviceId: number, task: () => Promise<void>): void {
    this.queue.run([deviceId], task).catch((error: unknown) => {
      // The store is closed then, and the next server compares anew.
      if (!this.isClosed) this.deps.log.error({ err: error }, 'a Recording could not be brought up to date');
    });
  }
}

/**
 * Answers whether the account is dealt with. It is not when the Recording has files and no row, and was not `ordered`: its files may belong
 * to another control plane or to a store that was lost. A Recording without files needs no row.
 */
function writeRow(
  tx: Tx,
  { deviceId, timezone }: { deviceId: number; timezone: string | undefined },
  recording: HeldRecording,
  ordered: boolean,
  now: string,
): boolean {
  const present = findRecording(tx, recording);
  // The run ended before the first fragment, so its beginning was never reported.
  if (present === undefined && recording.files === 0) return true;
  if (present === undefined && !ordered) return false;
  const run = tx.get('runs', recording.livestreamId);
  const startConfig = run?.runId === recording.runId ? run.startConfig : [];
  const row = present ?? openRecording(tx, { deviceId, startConfig }, recording, timezone);
  if (row.deviceId !== deviceId || row.livestreamId !== recording.livestreamId) return true;
  const { reason: errorstatus, size_bytes, files, state } = recording;
  if (state === 'joining') {
    if (errorstatus === null || errorstatus === row.errorstatus) return true;
    tx.put('recordings', { ...row, errorstatus, updated_at: now });
    addRecordingEvent(tx, now, row, {
      severity: 'warning',
      message: `Recording "${row.name}" waits: ${errorstatus}`,
      kind: 'recording_closed',
    });
    return true;
  }
  const { ended_at, tracks } = recording;
  const status = state === 'failed' ? 'failed' : 'finished';
  const duration_seconds = recording.duration_seconds ?? row.duration_seconds;
  const next = { ...row, status, errorstatus, size_bytes, files, ended_at, tracks, duration_seconds } as const;
  if (JSON.stringify(next) === JSON.stringify(row)) return true;
  tx.put('recordings', { ...next, updated_at: now });
  if (row.status === status) return true;
  const outcome = status === 'failed' ? 'has failed' : `is finished: ${duration_seconds.toFixed(1)} s`;
  const words = `Recording "${row.name}" ${outcome}.${errorstatus === null ? '' : ` ${errorstatus}`}`;
  addRecordingEvent(tx, now, row, { severity: status === 'failed' ? 'error' : 'info', message: words });
  return true;
}

/** The event log remembers what this control plane has started, and where. */
async function wasOrdered(
  store: Pick<Store, 'find'>,
  deviceId: number,
  { livestreamId, runId }: HeldRecording,
): Promise<boolean> {
  const kind = { in: ['start_requested', 'run_moved'] };
  const { rows } = await store.find('events', { where: { livestreamId, kind } });
  return rows.some(({ data }) => data.runId === runId && (data.deviceId ?? data.to ?? deviceId) === deviceId);
}

/** It was made by a broadcast between the moment that the store went back to and the moment in which that was noticed. */
async function isFromLostTime(
  store: Pick<Store, 'tx'>,
  deviceId: number,
  { started_at, livestreamId }: HeldRecording,
): Promise<boolean> {
  return store.tx((tx) => {
    const isOfStore = tx.get('livestreams', livestreamId) !== undefined;
    return erasOf(tx).some(({ restored }, at, eras) => {
      const isBrought = isOfStore && restored?.places.includes(deviceId) === true;
      return isBrought && started_at <= restored.noticed_at && started_at >= (eras[at - 1]?.created_at ?? '');
    });
  });
}

function keyOf({ runId, publishingId }: Pick<Recording, 'runId' | 'publishingId'>): string {
  return `${runId}-${publishingId}`;
}
