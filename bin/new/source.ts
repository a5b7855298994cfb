/** Reads --source: a file, an address, something to listen for, a Channel or an Asset by its name. */
import { statSync } from 'node:fs';
import { AppError } from '../../domain/errors.ts';
import type { SourceProbe } from '../../domain/probe.ts';
import { callServer, listAll } from '../client/call.ts';

export type Source =
  | { file: string }
  | { address: string }
  | { ingest: string }
  | { channelId: number; name: string }
  | { filename: string };

interface Named {
  id: number;
  name: string;
}

/** A file of this machine comes before a Channel of its name. Rejects with AppError not_found. */
export async function sourceNamed(text: string): Promise<Source> {
  if (text === 'rtmp-push' || text === 'srt-listen') return { ingest: text };
  if (text.includes('://')) return { address: text };
  if (statSync(text, { throwIfNoEntry: false })?.isFile() === true) return { file: text };
  const channels = await listAll<Named>('getAllChannels', { fields: 'id,name' });
  const channel = channels.find(({ id, name }) => name === text || `#${id}` === text);
  if (channel !== undefined) return { channelId: channel.id, name: channel.name };
  const assets = await listAll<{ filename: string }>('listAssets', { fileType: 'files', fields: 'filename' });
  if (assets.some(({ filename }) => filename === text)) return { filename: text };
  throw new AppError('not_found', `There is no file, Channel or Asset ${JSON.stringify(text)}.`, {
    remedy: 'Name a file of this machine, an address, a Channel (onair call getAllChannels), rtmp-push or srt-listen.',
  });
}

/** A sentence about what comes from the source; undefined where nothing is to be looked at yet. */
export async function lookAt(source: Source): Promise<string | undefined> {
  if (!('channelId' in source)) return undefined;
  const { data } = await callServer<{ data: SourceProbe }>('probeChannel', { channelId: source.channelId });
  const { video, audio, warnings } = data;
  const picture = video === null ? 'no picture' : `${video.width}×${video.height} ${video.codec}`;
  const advice = warnings.map(({ message, remedy }) => ` ${message} ${remedy}`).join('');
  return `${source.name} sends ${picture}, ${audio.length} audio tracks.${advice}`;
}
