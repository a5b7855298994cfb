/** A Recording that has gone on in another run, because its broadcast began anew or was moved, and the one of that run become one. */
import type { Store, Tx } from '../../domain/ports/store.ts';
import { bytesInBucket } from '../../domain/rules/media/recording-objects.ts';
import type { Recording } from '../../domain/shapes/media/recording.ts';
import { addRecordingEvent, findRecording } from './recording-rows.ts';

/**
 * Both have to be whole in the bucket: then one row names the files of both, and nothing is sent. Resolves with whether that was done. The
 * row of the first run stays, whose id people have had for longer.
 */
export function joinRuns(store: Pick<Store, 'tx'>, id: number, now: string): Promise<boolean> {
  return store.tx((tx) => {
    const first = tx.get('recordings', id);
    const second = first && successorOf(tx, first);
    if (first === undefined || second === undefined || !isSettled(first) || !isSettled(second)) return false;
    tx.delete('recordings', second.id);
    tx.put('recordings', { ...joined(first, second), updated_at: now });
    const message = `Recording "${first.name}" has what was recorded before and after it went on at another Device.`;
    addRecordingEvent(tx, now, first, { severity: 'info', message });
    return true;
  });
}

function successorOf(tx: Tx, { goes_on: runId, publishingId }: Readonly<Recording>): Readonly<Recording> | undefined {
  return runId === undefined ? undefined : findRecording(tx, { runId, publishingId });
}

function isSettled({ status, objects }: Readonly<Recording>): boolean {
  return status === 'finished' && objects?.whole !== undefined && objects.parts.length === 0;
}

function joined(first: Readonly<Recording>, second: Readonly<Recording>): Recording {
  const { goes_on: _goesOn, objects, ...row } = first;
  const whole = [...(objects?.whole ?? []), ...(second.objects?.whole ?? [])];
  const runs = [...(objects?.runs ?? []), second.runId, ...(second.objects?.runs ?? [])];
  const kept = { ...objects, parts: [], whole, runs };
  const reasons = [first.errorstatus, second.errorstatus].filter((reason) => reason !== null);
  return {
    ...row,
    ...(second.goes_on !== undefined && { goes_on: second.goes_on }),
    objects: kept,
    errorstatus: reasons.length === 0 ? null : reasons.join(' '),
    ended_at: second.ended_at,
    duration_seconds: Math.round((first.duration_seconds + second.duration_seconds) * 1000) / 1000,
    size_bytes: bytesInBucket(kept),
    files: whole.length,
  };
}
