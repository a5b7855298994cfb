/** A small broadcast on a running service: clip, Channel, one or two renditions, Destinations, Live stream. */
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { makeClip, TOKEN, type Service } from './service.ts';
import { until } from './until.ts';

export interface SmallBroadcast {
  livestreamId: number;
  publishingId: number;
  channelId: number;
  playlist(): Promise<string>;
}

export function uploadClip(service: Service, filename = 'clip.mp4'): Promise<string> {
  return uploadFile(service, makeClip(join(service.scratch, filename)));
}

/** Makes an Asset of the bucket files of a video file; it has the name of that. */
export async function uploadFile(service: Service, path: string): Promise<string> {
  const filename = basename(path);
  const form = new FormData();
  form.set('fileType', 'files');
  form.set('file', new Blob([readFileSync(path)], { type: 'video/mp4' }), filename);
  const response = await fetch(`${service.url}/svcapiv2/assets`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}` },
    body: form,
  });
  if (response.status !== 201) throw new Error(`upload: ${response.status} ${await response.text()}`);
  return filename;
}

export const SMALL_VIDEO = {
  codec: 'h264',
  height: 180,
  bitrate: 300,
  fps: 30,
  preset: 'ultrafast',
  h264: { keyframe_interval: 1 },
};

/** `extra` Destinations are bound beside one HLS / TS Destination. */
export async function smallBroadcast(
  service: Service,
  extra: object[] = [],
  channel?: object,
): Promise<SmallBroadcast> {
  const settings = channel ?? { type: 'File', settings: { filename: await uploadClip(service) } };
  const channelId = await service.create('/channels', { name: 'Clip', ...settings });
  const large = await service.create('/encodings', { name: 'large', settings_video: SMALL_VIDEO });
  const small = await service.create('/encodings', {
    name: 'small',
    settings_video: { ...SMALL_VIDEO, height: 90, bitrate: 100 },
  });
  const encodingGroupId = await service.create('/encodings/groups', { name: 'ladder', elements: [large, small] });
  const publishingId = await service.create('/publishings', {
    name: 'web',
    type: 'HLS / TS',
    settings: { segment_duration: 2 },
  });
  const elements = [publishingId];
  for (const publishing of extra) elements.push(await service.create('/publishings', publishing));
  const publishingGroupId = await service.create('/publishings/groups', { name: 'outputs', elements });
  const livestreamId = await service.create('/livestreams', {
    name: 'Show',
    channelId,
    encodingGroupId,
    publishingGroupId,
  });
  return {
    livestreamId,
    publishingId,
    channelId,
    playlist: async () => `${service.url}/live/${livestreamId}/${publishingId}/index.m3u8`,
  };
}

export async function statusOf(
  service: Service,
  livestreamId: number,
): Promise<{ status: number; errorstatus: string | null }> {
  const reply = await service.rest('GET', `/livestreams/${livestreamId}/status`);
  return reply.body.data;
}

/** Pictures that the encoders say they have left out: none where the machine has time for all of them. */
export async function droppedIn(service: Service, livestreamId: number): Promise<number> {
  const { encodings } = (await statusOf(service, livestreamId)) as unknown as { encodings: { dropped: number }[] };
  return Math.max(0, ...encodings.map(({ dropped }) => dropped));
}

/** Its last events, the newest first: `<at> <kind>: <message>`. */
export async function lastEvents({ rest }: Service, livestreamId: number): Promise<string[]> {
  const { body } = await rest('GET', `/livestreams/${livestreamId}/events?pageSize=30`);
  const rows = body.rows as { at: string; kind: string; message: string }[];
  return rows.map(({ at, kind, message }) => `${at} ${kind}: ${message}`);
}

export async function goOnAir(service: Service, livestreamId: number): Promise<void> {
  const reply = await service.rest('POST', `/livestreams/${livestreamId}/start`, {});
  if (reply.status !== 202) throw new Error(`start: ${reply.status} ${JSON.stringify(reply.body)}`);
  await until('status 2', async () => {
    const { status, errorstatus } = await statusOf(service, livestreamId);
    if (status === 3) throw new Error(`the start failed: ${errorstatus}`);
    return status === 2;
  });
}

export interface Playlist {
  /** Its own, which those of its segments are relative to. */
  url: URL;
  mediaSequence: number;
  discontinuities: number;
  segments: string[];
  text: string;
}

/** The media playlist of the first variant. */
export async function mediaPlaylist(master: string): Promise<Playlist> {
  const variants = (await (await fetch(master)).text())
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  const url = new URL(variants[0] ?? '', master);
  const text = await (await fetch(url)).text();
  return {
    url,
    text,
    mediaSequence: Number(/#EXT-X-MEDIA-SEQUENCE:(\d+)/u.exec(text)?.[1] ?? Number.NaN),
    discontinuities: text.split('\n').filter((line) => line === '#EXT-X-DISCONTINUITY').length,
    segments: text.split('\n').filter((line) => line !== '' && !line.startsWith('#')),
  };
}
