import type { z } from 'zod/v3';
import { AppError } from '../../base/errors.ts';
import { bytesInBucket } from './recording-objects.ts';
import { destinationOf, recordingOutput, type Recording } from '../../shapes/media/recording.ts';
import type { ClipSpan } from '../../shapes/media/clip.ts';
import { defineResource } from '../../ports/resource.ts';
import { called } from '../../base/sentence.ts';
import type { Tx, View } from '../../ports/store.ts';
import { addEvent } from '../rows/event-log.ts';

export const recordingResource = defineResource({
  collection: 'recordings',
  noun: 'Recording',
  idParam: 'recordingId',
  shape: {},
  output: recordingOutput,
  shortFields: ['id', 'name', 'livestreamId', 'status', 'started_at', 'ended_at', 'duration_seconds', 'size_bytes'],
  filters: {},
  guard: assertClosed,
  present: presentRecording,
});

/** The row as callers see it; no other row is read for it. */
export function presentRecording(row: Readonly<Recording>): z.infer<typeof recordingOutput> {
  const { runId: _runId, goes_on: _goesOn, objects, ...shown } = row;
  return { ...shown, publishingId: destinationOf(row), bucket_bytes: bytesInBucket(objects) };
}

/** Throws AppError wrong_state while it is being written. */
export function assertClosed(row: Readonly<Recording>): void {
  const { status, livestreamId: id, livestream_name: name } = row;
  if (status !== 'recording') return;
  const detail =
    `${called('Recording', row)} is still being written. While ${called('Live stream', { id, name })} is on air, stop it first, ` +
    'or end a Recording that was begun on air with runtimeRecord; then, the Recording is finished within moments: try again in a few seconds.';
  throw new AppError('wrong_state', detail, { facts: { state: status, allowed: ['finished', 'failed'] } });
}

/** Answers a sentence for each Recording that a stop of the Live stream closes. */
export function endingRecordings(view: View, livestreamId: number): string[] {
  const { rows } = view.find('recordings', { where: { livestreamId, status: 'recording' } });
  return rows.map(({ name }) => `The Recording "${name}" ends with it.`);
}

/** Runs inside a commit, once the files are gone. The Live stream may be deleted before it. */
export function deleteRecording(tx: Tx, now: string, row: Readonly<Recording>, why: string): void {
  tx.delete('recordings', row.id);
  if (tx.get('livestreams', row.livestreamId) === undefined) return;
  const facts = { recordingId: row.id, publishingId: destinationOf(row) };
  addEvent(tx, now, row.livestreamId, {
    kind: 'recording_deleted',
    severity: 'info',
    message: `Recording "${row.name}" was deleted: ${why}`,
    data: facts,
  });
}

/** Runs inside the commit that makes the Asset. */
export function noteClip(
  tx: Tx,
  now: string,
  row: Readonly<Recording>,
  filename: string,
  span: ClipSpan & { segments: readonly ClipSpan[] },
): void {
  if (tx.get('livestreams', row.livestreamId) === undefined) return;
  const facts = { recordingId: row.id, filename, ...span };
  addEvent(tx, now, row.livestreamId, {
    kind: 'clip_created',
    severity: 'info',
    message: `Clip ${filename} was cut out of "${row.name}"${placesOf(span.segments)}.`,
    data: facts,
  });
}

function placesOf(segments: readonly ClipSpan[]): string {
  if (segments.length < 2) return '';
  const second = (value: number): string => String(Number(value.toFixed(3)));
  return `, ${segments.length} pieces: ${segments.map((each) => `${second(each.in)}-${second(each.out)} s`).join(', ')}`;
}

/** Path of its media below the API's prefix. `part`, from 1, is set where it consists of several files. */
export function downloadPath({ id, files }: Readonly<Recording>, part: number): string {
  return files > 1 ? `/recordings/${id}/file/${part}` : `/recordings/${id}/file`;
}

export function mediaType({ container }: Pick<Recording, 'container'>): string {
  return container === 'mp4' ? 'video/mp4' : 'video/mp2t';
}

/** The name fits every file system: it has no separator, no colon, and nothing that a shell or Windows gives a meaning to. */
export function downloadName({ name, files, container }: Readonly<Recording>, part: number): string {
  const plain = name
    .replaceAll(':', '.')
    .replaceAll(/[^\p{L}\p{N} ._()-]/gu, '_')
    .replace(/^[. ]+/u, '');
  return `${plain === '' ? 'recording' : plain}${files > 1 ? ` part ${part}` : ''}.${container}`;
}
