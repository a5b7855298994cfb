/**
 * Brings Recordings to the bucket of ONAIR_MEDIA. While one is written, what has grown goes there in pieces, so that a Device that is lost
 * costs its last seconds; once it is finished, its files go there whole, and its Device is rid of them. The Devices send, at addresses that
 * they get from the server that they obey.
 */
import { toIso, type Clock } from '../../domain/time/clock.ts';
import type { Log } from '../../domain/base/log.ts';
import type { DeviceRecordings } from '../../domain/ports/device-link.ts';
import type { RecordingMedia } from '../../domain/ports/recording-media.ts';
import type { Store } from '../../domain/ports/store.ts';
import {
  bytesInBucket,
  keysOfPieces,
  ownOf,
  totalBytes,
  wholeKey,
} from '../../domain/rules/media/recording-objects.ts';
import {
  isTake,
  type HeldRecording,
  type Recording,
  type RecordingObjects,
} from '../../domain/shapes/media/recording.ts';
import type { DeviceRegistry } from '../device-registry.ts';
import type { RowCache } from '../row-cache.ts';
import { sendFile, sendGrowth } from './sent-files.ts';

type Whole = NonNullable<RecordingObjects['whole']>;

export interface RecordingUploadsDeps {
  store: Store;
  rows: Pick<RowCache, 'run' | 'runsAt' | 'devices'>;
  registry: Pick<DeviceRegistry, 'get'>;
  media: RecordingMedia;
  clock: Clock;
  log: Log;
}

/** As much as a lost Device costs, and the time in which a piece grows. */
const LOOK_MS = 30_000;
/** A file begins anew after a failure: a bucket that refuses its end must not cost a line all the time. */
const WHOLE_RETRY_MS = 300_000;
/** On air, a finished Recording takes no more of the Device's line than so many times the rate at which it was recorded. */
const RATE_FACTOR = 2;
const MIN_RATE_BYTES = 250_000;

export class RecordingUploads {
  private readonly deps: RecordingUploadsDeps;
  /** Rows of which something is still to be sent, by id. */
  private readonly due = new Map<number, Readonly<Recording>>();
  /** Accounts of Recordings that are whole in the bucket, and of which their Devices have more; by id of the row. */
  private readonly fuller = new Map<number, HeldRecording>();
  /** Devices that send pieces, and such that send what is finished. */
  private readonly busy = new Set<string>();
  /** Rows whose last attempt failed, which the log has named. */
  private readonly failing = new Set<number>();
  /** Those of them that are not tried again yet. */
  private readonly resting = new Set<number>();
  private isClosed = false;
  private cancel: () => void;

  constructor(deps: RecordingUploadsDeps) {
    this.deps = deps;
    this.cancel = deps.clock.after(LOOK_MS, () => this.look());
  }

  close(): void {
    this.isClosed = true;
    this.cancel();
  }

  /** Takes the row as it is now; undefined when it is gone. */
  follow(id: number, row: Readonly<Recording> | undefined): void {
    if (row === undefined || row.status === 'failed' || row.objects?.whole !== undefined) this.due.delete(id);
    else this.due.set(id, row);
    // It has just been finished, and nothing more grows.
    if (row?.status === 'finished' && this.due.has(id)) this.look();
  }

  /**
   * The Device has a Recording that is whole in the bucket: either it had no time to remove it, or what was made of pieces lacks its end.
   * `row` is that of the Recording, or of the one that it has become a part of.
   */
  async settle(deviceId: number, held: HeldRecording, row: Readonly<Recording>): Promise<void> {
    if (held.state === 'recording' || held.state === 'joining') return;
    const isOwn = row.runId === held.runId;
    const isMissing = !(await this.isThere(row));
    if (held.state === 'finished' && (isMissing || (isOwn && isFuller(held, row)))) {
      if (isOwn) this.fuller.set(row.id, held);
      this.look();
      return;
    }
    await this.deps.registry.get(deviceId)?.link.recordings?.remove(held);
    if (isOwn) await dropPieces({ store: this.deps.store, bucket: this.deps.media.bucket }, row.id);
  }

  private async isThere({ objects }: Readonly<Recording>): Promise<boolean> {
    for (const { key, bytes } of objects?.whole ?? [])
      if ((await this.deps.media.bucket.sizeOf(key)) !== bytes) return false;
    return true;
  }

  private look(): void {
    if (this.isClosed) return;
    this.cancel();
    this.cancel = this.deps.clock.after(LOOK_MS, () => this.look());
    const turns = new Map<string, Readonly<Recording>[]>();
    for (const row of this.due.values()) {
      const turn = `${row.deviceId} ${row.status}`;
      if (this.recordingsOf(row) !== undefined) turns.set(turn, [...(turns.get(turn) ?? []), row]);
    }
    for (const [turn, rows] of turns) void this.work(turn, rows);
    for (const [id, held] of this.fuller) void this.replaceOwn(id, held);
  }

  /** Those of its Device, where this server may have them sent. */
  private recordingsOf({ deviceId }: Readonly<Recording>): DeviceRecordings | undefined {
    const { registry, rows } = this.deps;
    const device = registry.get(deviceId);
    const isAble = rows.devices.get(deviceId)?.capabilities?.features?.includes('recording_upload') === true;
    return device?.isOwn === true && device.online && isAble ? device.link.recordings : undefined;
  }

  /** One after the other: the line of a Device has broadcasts to carry. */
  private async work(turn: string, rows: readonly Readonly<Recording>[]): Promise<void> {
    if (this.busy.has(turn)) return;
    this.busy.add(turn);
    for (const { id } of rows) {
      const row = this.due.get(id);
      const recordings = row && this.recordingsOf(row);
      if (recordings === undefined || this.resting.has(id)) continue;
      // Pieces are small, and go on where they were.
      if (row!.status === 'recording') await this.attempt(id, 0, () => this.sendPieces(row!, recordings));
      else await this.attempt(id, WHOLE_RETRY_MS, () => this.sendWhole(row!, recordings));
    }
    this.busy.delete(turn);
  }

  private async attempt(id: number, retryMs: number, task: () => Promise<void>): Promise<void> {
    try {
      await task();
      this.failing.delete(id);
    } catch (error) {
      const message = 'A Recording could not be sent to the bucket; it is tried again.';
      if (!this.failing.has(id)) this.deps.log.warn({ err: error, recordingId: id }, message);
      this.failing.add(id);
      if (retryMs === 0) return;
      this.resting.add(id);
      this.deps.clock.after(retryMs, () => this.resting.delete(id));
    }
  }

  private async sendPieces(row: Readonly<Recording>, recordings: DeviceRecordings): Promise<void> {
    const { store, media, clock } = this.deps;
    await sendGrowth({ row, recordings, bucket: media.bucket }, async (part, outdated) => {
      const isNoted = await store.tx((tx) => {
        const present = tx.get('recordings', row.id);
        if (present === undefined || present.objects?.whole !== undefined) return false;
        const others = (present.objects?.parts ?? []).filter(({ name }) => name !== part.name);
        const objects = { ...present.objects, parts: [...others, part] };
        tx.put('recordings', { ...present, objects, updated_at: toIso(clock.now()) });
        return true;
      });
      if (isNoted && outdated !== undefined) await media.bucket.remove(outdated);
      return isNoted;
    });
  }

  private async sendWhole(row: Readonly<Recording>, recordings: DeviceRecordings): Promise<void> {
    if (!this.isOver(row)) return;
    const whole = await this.sendFiles(row, recordings, row.size_bytes);
    await this.note(row, recordings, whole, (present) => {
      const objects: RecordingObjects = { ...present.objects, parts: present.objects?.parts ?? [], whole };
      // It has been taken up again meanwhile.
      if (present.status !== 'finished' || bytesInBucket(objects) !== present.size_bytes) return undefined;
      return { objects };
    });
  }

  /** Puts what its Device has in the place of what was made of pieces. */
  private async replaceOwn(id: number, held: HeldRecording): Promise<void> {
    const row = (await this.deps.store.get('recordings', id))?.row;
    const recordings = row && this.recordingsOf(row);
    const turn = `${id} fuller`;
    if (row?.objects?.whole === undefined) this.fuller.delete(id);
    if (row?.objects?.whole === undefined || recordings === undefined || this.busy.has(turn)) return;
    if (this.resting.has(id)) return;
    this.busy.add(turn);
    await this.attempt(id, WHOLE_RETRY_MS, async () => {
      const own = await this.sendFiles(row, recordings, held.size_bytes);
      await this.note(row, recordings, own, (present) => fullerRow(present, held, own));
      this.fuller.delete(id);
    });
    this.busy.delete(turn);
  }

  /** Sends nothing of files that have not the size of the account: another one is on its way. */
  private async sendFiles(row: Readonly<Recording>, recordings: DeviceRecordings, size: number): Promise<Whole> {
    const files = await recordings.filesOf(row);
    const found = totalBytes(files);
    if (found !== size) throw new Error(`The files on its Device have ${found} bytes, and ${size} by its account.`);
    const whole: Whole = [];
    for (const { name, bytes } of files) {
      const key = wholeKey(row, whole.length + 1);
      const from = { row, recordings, bucket: this.deps.media.bucket };
      await sendFile(from, { name, bytes, key }, () => this.rateFor(row));
      whole.push({ key, bytes });
    }
    return whole;
  }

  /** Stores that the files are there, and has the Device remove its own. Where the row is gone, they go as well. */
  private async note(
    row: Readonly<Recording>,
    recordings: DeviceRecordings,
    whole: Whole,
    change: (present: Readonly<Recording>) => Partial<Recording> | undefined,
  ): Promise<void> {
    const { store, clock, media } = this.deps;
    const outcome = await store.tx((tx) => {
      const present = tx.get('recordings', row.id);
      const changes = present && change(present);
      if (present === undefined || changes === undefined) return present === undefined ? 'gone' : 'other';
      tx.put('recordings', { ...present, ...changes, updated_at: toIso(clock.now()) });
      return 'noted';
    });
    if (outcome === 'gone') for (const { key } of whole) await media.bucket.remove(key);
    if (outcome !== 'noted') return;
    await recordings.remove(row);
    await dropPieces({ store, bucket: media.bucket }, row.id);
  }

  /** No part will follow: its run has another successor than itself. */
  private isOver(row: Readonly<Recording>): boolean {
    const run = this.deps.rows.run(row.livestreamId);
    if (run?.runId !== row.runId) return true;
    if (isTake(row)) return run.takes?.isOpen !== true || run.takes.count !== -row.publishingId;
    return run.status === 0 || run.status === 3;
  }

  private rateFor({ deviceId, size_bytes, duration_seconds }: Readonly<Recording>): number | undefined {
    if (this.deps.rows.runsAt(deviceId).length === 0) return undefined;
    return Math.max(MIN_RATE_BYTES, (size_bytes / Math.max(1, duration_seconds)) * RATE_FACTOR);
  }
}

/** Another file was made of pieces, so that its bytes say nothing of its length. */
function isFuller(held: HeldRecording, row: Readonly<Recording>): boolean {
  const { recovered } = row.objects ?? {};
  const bySize = held.size_bytes > totalBytes(ownOf(row));
  return recovered === undefined || held.duration_seconds === null ? bySize : held.duration_seconds > recovered;
}

/** The row with the files of its own run replaced; those of others stay behind them. */
function fullerRow(present: Readonly<Recording>, held: HeldRecording, own: Whole): Partial<Recording> | undefined {
  const { objects, duration_seconds: before } = present;
  if (objects?.whole === undefined) return undefined;
  const { recovered = before, ...known } = objects;
  const former = new Set(ownOf(present).map(({ key }) => key));
  const whole = [...own, ...objects.whole.filter(({ key }) => !former.has(key))];
  const size_bytes = totalBytes(whole);
  const duration_seconds = before + (held.duration_seconds ?? recovered) - recovered;
  const figures = { size_bytes, duration_seconds, files: whole.length, errorstatus: held.reason };
  const isAlone = objects.runs === undefined;
  return { ...figures, ...(isAlone && { ended_at: held.ended_at, tracks: held.tracks }), objects: { ...known, whole } };
}

/** Removes the pieces of a Recording that is whole; they are in its row until they are gone. */
export async function dropPieces(
  { store, bucket }: { store: Store; bucket: RecordingMedia['bucket'] },
  id: number,
): Promise<void> {
  const row = (await store.get('recordings', id))?.row;
  if (row?.objects?.whole === undefined || row.objects.parts.length === 0) return;
  for (const key of keysOfPieces(row, row.objects)) await bucket.remove(key);
  await store.tx((tx) => {
    const present = tx.get('recordings', id);
    if (present?.objects?.whole !== undefined)
      tx.put('recordings', { ...present, objects: { ...present.objects, parts: [] } });
  });
}
