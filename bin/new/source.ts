/** Reads --source: a file, an address, something to listen for, a Channel or an Asset by its name; and looks at what comes from it. */
import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { AppError } from '../../domain/base/errors.ts';
import type { SourceProbe } from '../../domain/shapes/sources/probe.ts';
import { takeNamed, type Named } from '../../toolkit/input/resolve.ts';
import { callServer, listAll } from '../client/call.ts';
import { channels } from '../verbs/names.ts';
import { orList } from '../../domain/base/sentence.ts';
import { INGEST_WORDS } from '../../domain/types/channel-questions.ts';
import type { IngestWord } from '../../domain/types/channel-types.ts';

export type Source =
  | { file: string }
  | { address: string }
  | { ingest: string }
  | { channelId: number; name: string }
  | { filename: string };

/** The finding of a look. */
export interface Look {
  /** Sentences for people, one a line. */
  lines: string[];
  /** Nothing comes from it now. */
  isSilent: boolean;
  /** Its picture; null: none, or not known. */
  picture: { width: number; height: number; fps: number | null } | null;
}

/** A file of this machine comes before a Channel of its name. Rejects with AppError not_found. */
export async function sourceNamed(text: string): Promise<Source> {
  if ((INGEST_WORDS as readonly string[]).includes(text)) return { ingest: text as IngestWord };
  if (text.includes('://')) return { address: text };
  if (statSync(text, { throwIfNoEntry: false })?.isFile() === true) return { file: text };
  const rows = await channels();
  if (!rows.some(({ name }) => name === text)) {
    const assets = await listAll<{ filename: string }>('listAssets', { fileType: 'files', fields: 'filename' });
    if (assets.some(({ filename }) => filename === text)) return { filename: text };
  }
  const { id, name } = channelAmong(rows, text);
  return { channelId: id, name };
}

function channelAmong(rows: readonly Named[], wanted: string): Named {
  try {
    return takeNamed(rows, { wanted, noun: 'file, Channel or Asset' });
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
    const remedy = `Name a file of this machine, an address, a Channel (onair ls channels), ${orList(INGEST_WORDS)}.`;
    throw new AppError(error.code, error.message, { ...error.extras, remedy });
  }
}

/**
 * Answers what comes from the source; undefined where there is nothing to look at yet. A source that is silent now may come later, so that
 * it is no failure. Rejects with AppError where the set-up would be refused whatever comes.
 */
export async function lookAt(source: Source): Promise<Look | undefined> {
  if ('file' in source) return lookAtFile(source.file);
  if ('ingest' in source) return undefined;
  const { name: _name, ...named } = { name: '', ...source };
  const { data } = await callServer<{ data: { source?: { message: string; probe: SourceProbe | null } | null } }>(
    'setUpBroadcast',
    { ...named, dry_run: true },
  );
  return data.source == null ? undefined : lookOf(data.source);
}

/** The answer of a dry run as a person reads it. */
export function lookOf({ message, probe }: { message: string; probe: SourceProbe | null }): Look {
  if (probe === null)
    return {
      lines: [`Nothing comes from the source now. ${message}`, 'It can be set up all the same; the start needs it.'],
      isSilent: true,
      picture: null,
    };
  const warnings = probe.warnings.map((warning) => `${warning.message} ${warning.remedy}`);
  return { lines: [message, ...warnings], isSilent: false, picture: probe.video };
}

/** A machine without ffprobe leaves the look to the server, when the file has come. */
async function lookAtFile(path: string): Promise<Look | undefined> {
  const { probeMedia } = await import('../../device/ffmpeg/media-probe.ts');
  const media = await probeMedia(path).catch(() => undefined);
  if (media === undefined) return undefined;
  const video = media.tracks.find(({ kind }) => kind === 'video');
  const sound = media.tracks.filter(({ kind }) => kind === 'audio').map(({ codec }) => codec);
  const picture = video === undefined ? 'no picture' : `${video.width}×${video.height} ${video.codec}`;
  const tracks = sound.length === 0 ? 'no sound' : `sound: ${sound.join(' and ')}`;
  const isSized = video?.width != null && video.height !== null;
  return {
    lines: [`${basename(path)} has ${picture}, ${tracks}, ${Math.round(media.seconds)} s.`],
    isSilent: false,
    picture: isSized ? { width: video.width!, height: video.height!, fps: null } : null,
  };
}
