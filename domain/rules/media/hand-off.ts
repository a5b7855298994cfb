/** Facts about media that is handed to the transcription provider. */
import type { Asset } from '../../shapes/media/asset.ts';
import { assertReadable } from '../../shapes/media/clip.ts';
import { invalidInput, notFound, ruleViolated } from '../../base/errors.ts';
import type { Recording } from '../../shapes/media/recording.ts';
import { called } from '../../base/sentence.ts';
import type { Store, View } from '../../ports/store.ts';
import type {
  TranscriptionAccess,
  TranscriptionHandOff,
  TranscriptionSource,
} from '../../shapes/media/transcription.ts';
import { findAsset } from './asset.ts';
import { assertClosed, downloadName } from './recording.ts';

export interface HandOffInput {
  recordingId?: number | undefined;
  filename?: string | undefined;
  collection?: string | null | undefined;
  template?: string | null | undefined;
}

/** The part of a Recording that a clip was cut from, in seconds. */
export interface ClipCut {
  recordingId: number;
  in: number;
  out: number;
}

export type HandOffFacts = Omit<TranscriptionHandOff, 'size_bytes' | 'sha256'>;

/** Looks in the event log for the Recording of a clip, as far as the log reaches back. */
export async function clipCut(store: Pick<Store, 'find'>, { filename }: HandOffInput): Promise<ClipCut | undefined> {
  if (filename === undefined) return undefined;
  const sort = { field: 'id', descending: true };
  const { rows } = await store.find('events', { where: { kind: 'clip_created' }, sort });
  return rows.find(({ data }) => data['filename'] === filename)?.data as ClipCut | undefined;
}

/** With `recording` the media is its file; otherwise it is the clip of that name, with `cut` from clipCut. Throws AppError. */
export function handOffOf(
  view: View,
  { recordingId, filename, collection, template }: HandOffInput,
  access: TranscriptionAccess,
  cut: ClipCut | undefined,
): { facts: HandOffFacts; recording: Readonly<Recording> | undefined } {
  if ((recordingId === undefined) === (filename === undefined)) {
    const message = `send recordingId or filename; ${recordingId === undefined ? 'neither was sent' : 'both were sent'}`;
    throw invalidInput([{ field: 'recordingId', code: 'one_of', message }]);
  }
  const place = {
    collection: collection === undefined ? access.default_collection : collection,
    template: template === undefined ? access.default_template : template,
  };
  if (recordingId !== undefined) {
    const recording = wholeRecording(view, recordingId);
    return { facts: { ...ofRecording(recording), ...place }, recording };
  }
  const assets = view.find('assets', { where: { fileType: 'clips', filename: filename! }, limit: 1 });
  return { facts: { ...ofClip(view, findAsset(assets, 'clips', filename!), cut), ...place }, recording: undefined };
}

function wholeRecording(view: View, recordingId: number): Readonly<Recording> {
  const recording = view.get('recordings', recordingId);
  if (recording === undefined) throw notFound('Recording', recordingId);
  assertClosed(recording);
  assertReadable(recording);
  if (recording.files === 1) return recording;
  throw ruleViolated(
    `${called('Recording', recording)} consists of ${recording.files} files. Cut what is needed with createClip and hand the clips over.`,
  );
}

type Facts = Omit<HandOffFacts, 'collection' | 'template'>;

function ofRecording(recording: Readonly<Recording>): Facts {
  const { name, container, duration_seconds, tracks, started_at, ended_at } = recording;
  return {
    title: name,
    filename: downloadName(recording, 1),
    content_type: container === 'ts' ? 'video/mp2t' : 'video/mp4',
    duration_seconds,
    language: languageOf(tracks),
    source: { ...sourceOf(recording), started_at, ended_at },
  };
}

function sourceOf({ id, livestreamId, livestream_name, tracks }: Readonly<Recording>) {
  return { recordingId: id, livestreamId, livestream_name, tracks };
}

function languageOf(tracks: Recording['tracks']): string | null {
  return tracks.find(({ kind, language }) => kind === 'audio' && language !== null)?.language ?? null;
}

function ofClip(
  view: View,
  { filename, content_type, duration_seconds }: Readonly<Asset>,
  cut: ClipCut | undefined,
): Facts {
  const source = clipSource(view, cut);
  const title = filename.replace(/\.[^.]+$/u, '');
  return { title, filename, content_type, duration_seconds, language: languageOf(source?.tracks ?? []), source };
}

function clipSource(view: View, cut: ClipCut | undefined): TranscriptionSource | null {
  const recording = cut && view.get('recordings', cut.recordingId);
  if (recording === undefined) return null;
  const at = (seconds: number): string => new Date(Date.parse(recording.started_at) + seconds * 1000).toISOString();
  return { ...sourceOf(recording), started_at: at(cut!.in), ended_at: at(cut!.out) };
}
