/** Live streams that copy one file to HLS each, and where their runners are. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunnerState } from '../../device/run-dir.ts';
import { mediaPlaylist, statusOf, uploadClip } from './broadcast.ts';
import type { Service } from './service.ts';

const COPY = { settings_video: { codec: 'copy' }, settings_audio: { codec: 'copy' } };

export interface Copies {
  channelId: number;
  encodingId: number;
  livestreamIds: number[];
  /** The address of the playlist of the one at this place. */
  playlist(at: number): string;
}

/** They are not started. */
export async function copyStreams(service: Service, count: number): Promise<Copies> {
  const filename = await uploadClip(service, 'film.mp4');
  const channelId = await service.create('/channels', { name: 'Film', type: 'File', settings: { filename } });
  const encodingId = await service.create('/encodings', { name: 'copy', ...COPY });
  const livestreamIds: number[] = [];
  const publishingIds: number[] = [];
  for (let n = 1; n <= count; n += 1) {
    const hls = { name: `web ${n}`, type: 'HLS / TS', settings: { segment_duration: 2, playlist_length: 60 } };
    const publishingId = await service.create('/publishings', hls);
    const bound = { channelId, encodingId, publishingId };
    publishingIds.push(publishingId);
    livestreamIds.push(await service.create('/livestreams', { name: `Copy ${n}`, ...bound }));
  }
  const playlist = (at: number): string => `${service.url}/live/${livestreamIds[at]}/${publishingIds[at]}/index.m3u8`;
  return { channelId, encodingId, livestreamIds, playlist };
}

export async function start(service: Service, livestreamIds: readonly number[]): Promise<void> {
  await Promise.all(
    livestreamIds.map(async (id) => {
      const reply = await service.rest('POST', `/livestreams/${id}/start`);
      if (reply.status >= 300) throw new Error(`start ${id}: ${reply.status} ${JSON.stringify(reply.body)}`);
    }),
  );
}

export async function areOnAir(service: Service, livestreamIds: readonly number[]): Promise<boolean> {
  const all = await Promise.all(livestreamIds.map((id) => statusOf(service, id)));
  return all.every(({ status }) => status === 2);
}

/** The state of each run that a living runner carries out, by Live stream. */
export function runners({ dataDir }: Pick<Service, 'dataDir'>): Map<number, RunnerState> {
  const dir = join(dataDir, 'device', 'runs');
  const states = readdirSync(dir).flatMap((run) => {
    try {
      return JSON.parse(readFileSync(join(dir, run, 'state.json'), 'utf8')) as RunnerState;
    } catch {
      // The run has not begun, or is gone.
      return [];
    }
  });
  return new Map(states.filter(({ left }) => left !== true).map((state) => [state.livestreamId, state]));
}

/** Segments of the first rendition, and breaks among them. */
export async function segmentsOf(playlist: string): Promise<{ count: number; discontinuities: number }> {
  const { mediaSequence, segments, discontinuities } = await mediaPlaylist(playlist);
  return { count: mediaSequence + segments.length, discontinuities };
}
