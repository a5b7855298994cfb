/** A broadcast of counted pictures: a ladder of three to all seven kinds of Destination, each with a real peer of the test. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeCountedClip } from './counted.ts';
import { freePort } from './ports.ts';
import { startRtmp, type RtmpServer } from './servers/rtmp.ts';
import { TOKEN, type Service } from './service.ts';

export const SEVEN = ['HLS / TS', 'DASH', 'CMAF', 'RTMP', 'SRT', 'STREAM', 'Record'] as const;
export type Seven = (typeof SEVEN)[number];

export interface PathNow {
  publishingId: number;
  name: string;
  state: string;
  last_error: string | null;
  attempts: number;
}

export interface CountedBroadcast {
  livestreamId: number;
  channelId: number;
  /** Pictures of the clip, which begins again after the last. */
  pictures: number;
  ids: Record<Seven, number>;
  /** The URL at which the Device serves; a publishing id and a file follow. */
  base: string;
  /** It takes STREAM_KEY, and what is added to its keys. */
  rtmp: RtmpServer;
  rtmpUrl: string;
  /** Files that the receivers of SRT and STREAM write. */
  received: Record<'SRT' | 'STREAM', string>;
  receivers: Record<'SRT' | 'STREAM', ChildProcess>;
  paths(): Promise<PathNow[]>;
  dispose(): Promise<void>;
}

const PICTURES = 4080;
export const STREAM_KEY = 'canary-stream-key-7';

export async function countedBroadcast(service: Service, pictures = PICTURES): Promise<CountedBroadcast> {
  const rtmp = await startRtmp();
  rtmp.keys.add(STREAM_KEY);
  const [srtPort, udpPort] = [await freePort(), await freePort()];
  const received = { SRT: join(service.scratch, 'srt.ts'), STREAM: join(service.scratch, 'stream.ts') };
  const receivers = {
    SRT: receive(`srt://127.0.0.1:${srtPort}?mode=listener`, received.SRT),
    STREAM: receive(`udp://127.0.0.1:${udpPort}?fifo_size=50000`, received.STREAM),
  };
  const channelId = await service.create('/channels', {
    name: 'Counted',
    type: 'File',
    settings: { filename: await uploadCounted(service, pictures) },
  });
  const encodings: number[] = [];
  for (const [name, height, bitrate] of [
    ['large', 180, 400],
    ['middle', 120, 200],
    ['small', 90, 150],
  ] as const)
    encodings.push(await service.create('/encodings', { name, settings_video: { ...VIDEO, height, bitrate } }));
  const encodingGroupId = await service.create('/encodings/groups', { name: 'ladder', elements: encodings });
  const settings: Record<Seven, object> = {
    'HLS / TS': { segment_duration: 2, playlist_length: 10 },
    DASH: { segment_duration: 2, playlist_length: 10 },
    CMAF: { segment_duration: 2, playlist_length: 10 },
    RTMP: { url: rtmp.keyedUrl, stream_key: STREAM_KEY },
    SRT: { url: `srt://127.0.0.1:${srtPort}` },
    STREAM: { url: `udp://127.0.0.1:${udpPort}` },
    Record: {},
  };
  const ids = {} as Record<Seven, number>;
  const retry = { max_attempts: 50, initial_delay_ms: 200, max_delay_ms: 1000 };
  for (const type of SEVEN)
    ids[type] = await service.create('/publishings', { name: `to ${type}`, type, settings: settings[type], retry });
  const publishingGroupId = await service.create('/publishings/groups', {
    name: 'seven',
    elements: Object.values(ids),
  });
  const bound = { channelId, encodingGroupId, publishingGroupId };
  const livestreamId = await service.create('/livestreams', { name: 'Counted show', ...bound });
  return {
    livestreamId,
    channelId,
    pictures,
    ids,
    rtmp,
    received,
    receivers,
    base: `${service.url}/live/${livestreamId}`,
    rtmpUrl: `${rtmp.keyedUrl}/${STREAM_KEY}`,
    async paths() {
      const { body } = await service.rest('GET', `/livestreams/${livestreamId}/status`);
      const messages = body.data.publishings as {
        publishingId: number;
        name: string;
        primary: Omit<PathNow, 'publishingId' | 'name'>;
      }[];
      return messages.map(({ publishingId, name, primary }) => ({ publishingId, name, ...primary }));
    },
    async dispose() {
      await rtmp.dispose();
      for (const receiver of Object.values(receivers)) {
        if (receiver.exitCode !== null || receiver.signalCode !== null) continue;
        receiver.kill('SIGKILL');
        await once(receiver, 'exit');
      }
    },
  };
}

export const VIDEO = { codec: 'h264', fps: 30, preset: 'ultrafast', h264: { keyframe_interval: 2 } };

async function uploadCounted(service: Service, pictures: number): Promise<string> {
  const filename = 'counted.mp4';
  const form = new FormData();
  form.set('fileType', 'files');
  const content = readFileSync(makeCountedClip(join(service.scratch, filename), pictures));
  form.set('file', new Blob([content], { type: 'video/mp4' }), filename);
  const headers = { authorization: `Bearer ${TOKEN}` };
  const response = await fetch(`${service.url}/svcapiv2/assets`, { method: 'POST', headers, body: form });
  if (response.status !== 201) throw new Error(`upload: ${response.status} ${await response.text()}`);
  return filename;
}

/** Writes what comes as it is, until it is ended. */
export function receive(url: string, path: string): ChildProcess {
  const args = ['-v', 'error', '-nostdin', '-y', '-probesize', '500000', '-analyzeduration', '1000000', '-i', url];
  const copy = ['-map', '0:v:0', '-map', '0:a:0', '-c', 'copy', '-flush_packets', '1', '-f', 'mpegts', path];
  return spawn('ffmpeg', [...args, ...copy], { stdio: 'ignore' });
}
