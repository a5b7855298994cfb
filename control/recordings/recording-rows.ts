/** Rows of Recordings, as the events of their runs change them. */
import type { AudioTrack } from '../../domain/shapes/sources/audio-tracks.ts';
import { addEvent } from '../../domain/rules/rows/event-log.ts';
import { inZone } from '../../domain/time/instant.ts';
import { iso639 } from '../../domain/shapes/sources/language.ts';
import type { Publishing } from '../../domain/shapes/destinations/publishing.ts';
import {
  destinationOf,
  isTake,
  type HeldRecording,
  type Recording,
  type RecordingTrack,
} from '../../domain/shapes/media/recording.ts';
import type { RenditionSpec } from '../../domain/shapes/broadcasts/run-spec.ts';
import type { Run, RunEvent, RunReport } from '../../domain/shapes/broadcasts/run.ts';
import type { Livestream } from '../../domain/shapes/broadcasts/livestream.ts';
import { instantField } from '../../domain/base/schema.ts';
import type { Tx, View } from '../../domain/ports/store.ts';
import { resolveBindings } from '../start/bindings.ts';
import { renditionsOf } from '../start/run-spec.ts';

/** Finds the row of one run and one Record Destination. */
export function findRecording(
  view: View,
  { runId, publishingId }: Pick<Recording, 'runId' | 'publishingId'>,
): Readonly<Recording> | undefined {
  return view.find('recordings', { where: { runId, publishingId }, limit: 1 }).rows[0];
}

/** Finds the Recording that one of another run has become a part of. */
export function findJoined(
  view: View,
  { livestreamId, publishingId, runId }: Pick<Recording, 'livestreamId' | 'publishingId' | 'runId'>,
): Readonly<Recording> | undefined {
  const { rows } = view.find('recordings', { where: { livestreamId, publishingId } });
  return rows.find(({ objects }) => objects?.runs?.includes(runId) === true);
}

/**
 * Runs in the commit that stores the event. The first part opens the row, each closed part adds to it, and a full disk is noted until the
 * next part.
 */
export function noteRecordingEvent(tx: Tx, run: Readonly<Run>, event: RunEvent, timezone?: string): void {
  const { publishingId, file, seconds, bytes } = event.data;
  if (typeof publishingId !== 'number' || run.deviceId === null) return;
  const present = findRecording(tx, { runId: event.runId, publishingId });
  // The event arrives late: the Device has joined the parts since, so its figures are newer.
  if (present?.ended_at != null && event.at <= present.ended_at) return;
  if (event.kind === 'recording_opened') {
    const container = String(file).endsWith('.ts') ? 'ts' : 'mp4';
    if (present !== undefined) tx.put('recordings', { ...present, ...reopened(present), updated_at: event.at });
    else if (isRecorded(run, publishingId))
      openRecording(tx, run, { ...event, publishingId, container, started_at: startOf(event) }, timezone);
  } else if (event.kind === 'destination_down' && event.data.reason === 'disk' && present !== undefined) {
    tx.put('recordings', { ...present, errorstatus: event.message, updated_at: event.at });
  } else if (event.kind === 'recording_closed' && present !== undefined) {
    const duration_seconds = Math.round((present.duration_seconds + amountOf(seconds)) * 1000) / 1000;
    const size_bytes = present.size_bytes + Math.round(amountOf(bytes));
    tx.put('recordings', { ...present, duration_seconds, size_bytes, updated_at: event.at });
  }
}

/** Whether the run has such a Record Destination, or has begun such a recording on air. */
function isRecorded({ boundPublishings, takes }: Readonly<Run>, publishingId: number): boolean {
  return publishingId < 0 ? -publishingId <= (takes?.count ?? 0) : boundPublishings.includes(publishingId);
}

function startOf({ at, data }: RunEvent): string {
  const start = instantField.safeParse(data.started_at);
  return start.success ? start.data : at;
}

function amountOf(fact: unknown): number {
  return typeof fact === 'number' && fact > 0 && Number.isFinite(fact) ? fact : 0;
}

/** Fields of a row whose run writes another part, after an interruption or after its Device has begun the run anew. */
function reopened({ status, files }: Readonly<Recording>): Partial<Recording> {
  return { status: 'recording', ended_at: null, errorstatus: null, files: status === 'recording' ? files + 1 : 2 };
}

type Opening = Pick<HeldRecording, 'livestreamId' | 'runId' | 'publishingId' | 'container' | 'started_at'>;

export function openRecording(
  tx: Tx,
  run: Pick<Run, 'deviceId' | 'startConfig'>,
  opening: Opening,
  timezone = 'UTC',
): Readonly<Recording> {
  const { livestreamId, runId, publishingId, container, started_at } = opening;
  const livestream = tx.get('livestreams', livestreamId);
  const publishing = isTake(opening) ? undefined : tx.get('publishings', publishingId);
  const renditions = livestream === undefined ? [] : recorded(tx, livestream, run, publishingId);
  return tx.insert('recordings', {
    created_at: started_at,
    updated_at: started_at,
    name: nameOf(livestream, publishing, inZone(started_at, timezone)),
    livestreamId,
    livestream_name: livestream?.name ?? '',
    publishingId,
    runId,
    deviceId: run.deviceId ?? 0,
    status: 'recording',
    errorstatus: null,
    container,
    started_at,
    ended_at: null,
    duration_seconds: 0,
    size_bytes: 0,
    files: 1,
    qualities: renditions.map(({ name }) => name),
    tracks: plannedTracks(renditions, livestream?.audio ?? []),
    remotefolder: publishing?.settings.remotefolder ?? null,
    delete_after: publishing?.settings.delete_after ?? null,
    backup: null,
  });
}

/** People read it by the clock of the service. The Live stream's name is cut to what a name may have, because the end tells two Recordings of it apart. */
function nameOf(
  livestream: Pick<Livestream, 'name'> | undefined,
  publishing: Pick<Publishing, 'name'> | undefined,
  startedAt: string,
): string {
  const when = startedAt.slice(0, 19).replace('T', ' ');
  const where = publishing === undefined ? '' : ` (${publishing.name.slice(0, 30)})`;
  return `${(livestream?.name ?? 'Recording').slice(0, 45)} ${when}${where}`;
}

/** Recorded renditions, best first, whatever the order of the ladder. */
function recorded(
  view: View,
  livestream: Readonly<Livestream>,
  { startConfig }: Pick<Run, 'startConfig'>,
  publishingId: number,
): RenditionSpec[] {
  const { encodings, asset } = resolveBindings(view, livestream);
  const qualities = startConfig.find((entry) => entry.publishingId === publishingId)?.qualities ?? [];
  const rate = ({ video, audio }: RenditionSpec): number => (video?.bitrate ?? 0) * 1000 + (audio?.bitrate ?? 0);
  return renditionsOf(encodings, asset)
    .filter(({ encodingId }) => qualities.length === 0 || qualities.includes(encodingId))
    .sort((a, b) => rate(b) - rate(a));
}

/** Tracks as ordered; the file itself is probed when it is finished. */
function plannedTracks(renditions: readonly RenditionSpec[], audio: readonly AudioTrack[]): RecordingTrack[] {
  const videos = renditions.flatMap(({ video }) => (video === null ? [] : [video]));
  const audios = renditions.flatMap(({ audio }) => (audio === null ? [] : [audio]));
  const sounds = [...new Map(audios.map((audio) => [JSON.stringify(audio), audio])).values()];
  const pictures = videos.map(({ codec, bitrate, width, height }) => {
    return { kind: 'video' as const, codec, bitrate_kbps: bitrate, width, height, language: null };
  });
  const languages = audio.length === 0 ? [null] : audio.map(({ language }) => language && iso639(language));
  const tracks = sounds.flatMap(({ codec, bitrate }) =>
    languages.map((language) => {
      return { kind: 'audio' as const, codec, bitrate_kbps: bitrate, width: null, height: null, language };
    }),
  );
  return [...pictures, ...tracks].map((track, index) => ({ trackId: index + 1, ...track }));
}

interface RecordingEvent {
  severity: 'info' | 'warning' | 'error';
  message: string;
  kind?: 'recording_finished' | 'recording_closed' | undefined;
}

export function addRecordingEvent(
  tx: Tx,
  now: string,
  row: Readonly<Recording>,
  { severity, message, kind = 'recording_finished' }: RecordingEvent,
): void {
  if (tx.get('livestreams', row.livestreamId) === undefined) return;
  addEvent(tx, now, row.livestreamId, {
    kind,
    severity,
    message,
    data: {
      recordingId: row.id,
      publishingId: destinationOf(row),
    },
  });
}

/** Adds the last figures of the encoder while the Recording is being written. */
export function measured(recording: Readonly<Recording>, report: RunReport | undefined): Readonly<Recording> {
  if (recording.status !== 'recording') return recording;
  const progress = report?.recordings?.find(({ publishingId }) => publishingId === recording.publishingId);
  if (progress === undefined) return recording;
  return {
    ...recording,
    duration_seconds: Math.max(recording.duration_seconds, progress.seconds),
    size_bytes: Math.max(recording.size_bytes, progress.bytes),
    files: Math.max(recording.files, progress.files),
  };
}
