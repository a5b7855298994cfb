/** Makes Recordings of lost Devices whole from what is of them in the bucket. */
import { toIso, type Clock } from '../../domain/time/clock.ts';
import type { RecordingMedia, RecoveredRecording } from '../../domain/ports/recording-media.ts';
import type { Store, Tx, View } from '../../domain/ports/store.ts';
import { calledIn } from '../../domain/base/sentence.ts';
import { hasPieces, totalBytes, wholeKey } from '../../domain/rules/media/recording-objects.ts';
import type { Recording } from '../../domain/shapes/media/recording.ts';
import { joinRuns } from './joined-runs.ts';
import { addRecordingEvent } from './recording-rows.ts';
import { dropPieces } from './recording-uploads.ts';

export interface RecoverDeps {
  store: Store;
  clock: Clock;
  media: RecordingMedia;
}

/** A Device that was booted, or whose line broke, is back by then, and has all of it. */
const AWAY_MS = 120_000;

/** Resolves with whether there was anything to do. Rejects as RecordingMedia.recover does. */
export async function recoverLost(deps: RecoverDeps, id: number, signal: AbortSignal): Promise<boolean> {
  await takeBack(deps, id);
  const isRecovered = await recoverPieces(deps, id, signal);
  return (await joinRuns(deps.store, id, toIso(deps.clock.now()))) || isRecovered;
}

/** A server of an earlier version looks for its files on its Device alone, and calls it lost. */
async function takeBack({ store, clock }: RecoverDeps, id: number): Promise<void> {
  await store.tx((tx) => {
    const row = tx.get('recordings', id);
    const whole = row?.objects?.whole;
    if (row?.status !== 'failed' || whole === undefined) return;
    const changes = { status: 'finished', errorstatus: null, files: whole.length } as const;
    tx.put('recordings', { ...row, ...changes, updated_at: toIso(clock.now()) });
  });
}

async function recoverPieces({ store, clock, media }: RecoverDeps, id: number, signal: AbortSignal): Promise<boolean> {
  const row = (await store.get('recordings', id))?.row;
  if (row === undefined || !hasPieces(row)) return false;
  if (row.objects?.whole === undefined) {
    if (!(await store.tx((tx) => isLost(tx, row, clock.now())))) return false;
    const recovered = (await wholeAlready(media, row)) ?? (await media.recover(row, signal));
    const isNoted = await store.tx((tx) => noteRecovered(tx, id, recovered, toIso(clock.now())));
    if (!isNoted) for (const { key } of recovered?.whole ?? []) await media.bucket.remove(key);
  }
  await dropPieces({ store, bucket: media.bucket }, id);
  return true;
}

/** Nobody waits for a Device that is about to come back, nor for one that may still be on air with it. */
function isLost(view: View, { deviceId, livestreamId, runId, objects }: Readonly<Recording>, nowMs: number): boolean {
  if (objects?.isLost === true || view.get('devices', deviceId) === undefined) return true;
  const since = view.get('deviceLinks', deviceId)?.away_since;
  const run = view.get('runs', livestreamId);
  const isOrdered = run?.runId === runId && (run.status === 1 || run.status === 2);
  return since !== undefined && nowMs - Date.parse(since) >= AWAY_MS && !isOrdered;
}

/** A store that went back knows nothing of what was sent since. */
async function wholeAlready(
  { bucket }: RecordingMedia,
  row: Readonly<Recording>,
): Promise<RecoveredRecording | undefined> {
  const whole: RecoveredRecording['whole'] = [];
  for (;;) {
    const key = wholeKey(row, whole.length + 1);
    const bytes = await bucket.sizeOf(key);
    if (bytes === undefined) break;
    whole.push({ key, bytes });
  }
  const { duration_seconds, tracks } = row;
  return whole.length === 0 ? undefined : { whole, duration_seconds, tracks, reason: null };
}

/** Answers false when the row is gone: nothing names the objects then. */
function noteRecovered(tx: Tx, id: number, recovered: RecoveredRecording | undefined, now: string): boolean {
  const row = tx.get('recordings', id);
  if (row === undefined) return false;
  const device = calledIn(tx, 'Device', row.deviceId);
  if (recovered === undefined) {
    const errorstatus = `Its ${device} is lost, and there is no media of it in the bucket.`;
    tx.put('recordings', {
      ...row,
      status: 'failed',
      errorstatus,
      files: 0,
      ended_at: row.ended_at ?? now,
      updated_at: now,
    });
    addRecordingEvent(tx, now, row, { severity: 'error', message: `Recording "${row.name}" is lost: ${errorstatus}` });
    return true;
  }
  const { whole, duration_seconds, tracks, reason } = recovered;
  const errorstatus = [`${device} was lost with the last seconds of it.`, reason]
    .filter((text) => text !== null)
    .join(' ');
  const ended_at = toIso(Date.parse(row.started_at) + duration_seconds * 1000);
  const size_bytes = totalBytes(whole);
  const objects = { parts: row.objects?.parts ?? [], whole, recovered: duration_seconds };
  const found = { duration_seconds, tracks, size_bytes, files: whole.length, ended_at, objects };
  tx.put('recordings', { ...row, ...found, status: 'finished', errorstatus, updated_at: now });
  const message = `Recording "${row.name}" is finished: ${duration_seconds.toFixed(1)} s. ${errorstatus}`;
  addRecordingEvent(tx, now, row, { severity: 'warning', message });
  return true;
}
