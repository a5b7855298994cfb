/** A service with two cameras, Destinations and Live streams, prepared before the conversations. An assistant knows none of its ids. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { SMALL_VIDEO } from '../../helpers/broadcast.ts';
import { startRtmp, type RtmpServer } from '../../helpers/servers/rtmp.ts';
import { startService, type Service } from '../../helpers/service.ts';
import { uploadLogo } from '../../helpers/two-sources.ts';
import { until } from '../../helpers/until.ts';

export interface PreparedService {
  service: Service;
  rtmp: RtmpServer;
  /** The facts as read by the test itself, which no assistant sees. */
  statusOf(name: string): Promise<Status>;
  eventsOf(name: string): Promise<{ kind: string; data: Record<string, unknown> }[]>;
  /** The id of a Live stream, for what is arranged before a conversation. */
  idOf(name: string): number;
  /** Begins to push a clip, as OBS would, until the service is disposed of. */
  pushTo(url: string): void;
  /** Stops all Live streams, so that one conversation that fails does not spoil the next. */
  stopAll(): Promise<void>;
  dispose(): Promise<void>;
}
export interface Status {
  status: number;
  since: string;
  publishings: { name: string; primary: { state: string; since: string; attempts: number } }[];
}

export const OLD_KEY = 'canary-key-of-last-year';
export const NEW_KEY = 'fresh-key-4711';
/** Red, green, and what neither of them has. */
const CAMERAS = { cam1: '0xc02020', cam2: '0x20a020' };

export async function startPreparedService(): Promise<PreparedService> {
  const undo: (() => unknown)[] = [];
  const dispose = async (): Promise<void> => {
    for (let next = undo.pop(); next !== undefined; next = undo.pop()) await next();
  };
  try {
    onTwoCores();
    const rtmp = await startRtmp();
    undo.push(() => rtmp.dispose());
    const service = await startService();
    undo.push(() => service.dispose());
    for (const [name, color] of Object.entries(CAMERAS)) makeClip(join(service.scratch, `${name}.mp4`), color);
    const push = (clip: string, url: string): void => {
      const encoder = pushClip(join(service.scratch, `${clip}.mp4`), url);
      undo.push(() => end(encoder));
    };
    for (const name of Object.keys(CAMERAS)) push(name, `${rtmp.url}/${name}`);
    const ids = await prepare(service, rtmp);
    await until('both cameras', async () => {
      const names = await rtmp.publishing();
      return Object.keys(CAMERAS).every((name) => names.includes(name));
    });
    const read = async (name: string, what: string): Promise<any> =>
      (await service.rest('GET', `/livestreams/${ids.get(name)}/${what}`)).body;
    return {
      service,
      rtmp,
      dispose,
      idOf: (name) => ids.get(name) ?? 0,
      statusOf: async (name) => (await read(name, 'status')).data,
      pushTo: (url) => push('cam1', url),
      eventsOf: async (name) => (await read(name, 'events?pageSize=500&fields=*')).rows,
      stopAll: () => stopAll(service),
    };
  } catch (error) {
    await dispose();
    throw error;
  }
}

async function stopAll({ rest }: Service): Promise<void> {
  const live = async (): Promise<{ livestreamId: number }[]> =>
    (await rest('GET', '/livestreams/status')).body.rows.filter(({ status }: Status) => status > 0);
  for (const { livestreamId } of await live()) await rest('POST', `/livestreams/${livestreamId}/stop`);
  await until('all Live streams off', async () => (await live()).length === 0);
}

/** Whatever the machine has: what is promised to broadcasts is a share of the cores, and one conversation is about the last of them. */
function onTwoCores(): void {
  if (availableParallelism() > 2) execFileSync('taskset', ['-pc', '0,1', String(process.pid)], { stdio: 'ignore' });
}

function makeClip(clip: string, color: string): void {
  const picture = ['-f', 'lavfi', '-i', `color=${color}:size=320x180:rate=30:duration=20`];
  const sound = ['-f', 'lavfi', '-i', 'sine=frequency=440:sample_rate=48000:duration=20'];
  const coding = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-g', '30', '-c:a', 'aac'];
  execFileSync('ffmpeg', ['-nostdin', '-v', 'error', '-y', ...picture, ...sound, ...coding, clip]);
}

function pushClip(clip: string, url: string): ChildProcess {
  const input = ['-re', '-stream_loop', '-1', '-t', '1800', '-i', clip];
  return spawn('ffmpeg', ['-nostdin', '-v', 'quiet', ...input, '-c', 'copy', '-f', 'flv', url], { stdio: 'ignore' });
}

async function end(program: ChildProcess): Promise<void> {
  if (program.exitCode !== null || program.signalCode !== null) return;
  program.kill('SIGKILL');
  await once(program, 'exit');
}

/** Answers the ids of its Live streams by name. */
async function prepare(service: Service, rtmp: RtmpServer): Promise<Map<string, number>> {
  const { create } = service;
  rtmp.keys.add(OLD_KEY);
  const camera = (name: string, stream: string): Promise<number> =>
    create('/channels', { name, type: 'Stream', settings: { url: `${rtmp.url}/${stream}` } });
  const [channelId] = [await camera('Camera 1', 'cam1'), await camera('Camera 2', 'cam2')];
  const encoding = (name: string, video: object): Promise<number> =>
    create('/encodings', { name, settings_video: { ...SMALL_VIDEO, ...video } });
  const small = await encoding('small', {});
  // Two cores may promise 1.5, and about 1.0 is reserved for this one: no two of it. A still picture takes a fraction of that.
  const large = await encoding('large', { height: 1080, bitrate: 800, preset: 'medium' });
  const destination = (name: string, type: string, settings = {}): Promise<number> =>
    create('/publishings', { name, type, settings });
  const web = await destination('Website', 'HLS / TS', { segment_duration: 1, playlist_length: 30 });
  const platform = await destination('Platform', 'RTMP', { url: rtmp.keyedUrl, stream_key: OLD_KEY });
  const archive = await destination('Archive', 'Record');
  const elements = [web, platform, archive];
  const all = await create('/publishings/groups', { name: 'Everywhere', elements });
  const ids = new Map<string, number>();
  const livestream = async (name: string, bound: object): Promise<void> =>
    void ids.set(
      name,
      await create('/livestreams', { name, channelId, encodingId: small, publishingId: web, ...bound }),
    );
  await livestream('Morning Show', { publishingId: null, publishingGroupId: all });
  for (const name of ['Evening News', 'Evening Sport', 'Late Show', 'Council Meeting']) await livestream(name, {});
  for (const name of ['Lobby Loop', 'Gala Night']) await livestream(name, { encodingId: large });
  await uploadLogo(service, 'station.png');
  return ids;
}
