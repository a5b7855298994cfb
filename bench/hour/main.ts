/**
 * `npm run hour` has three sources on air at once, encoded and copied, to all outputs with a Recording: a phone that turns twelve times, an
 * encoder that loses its network six times, and a channel with eight breaks. It counts the pictures that each output lacks of what its
 * source gave. `--minutes=60` and `--forms=encoded,copied` are the defaults; `--write` puts the table into docs/figures.md.
 */
import { appendFileSync, cpSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { listRecordings } from '../../device/agent/recordings/stored-recordings.ts';
import { liveDir } from '../../device/run-dir.ts';
import { goOnAir, statusOf } from '../../test/helpers/broadcast.ts';
import { COUNTED_FPS } from '../../test/helpers/counted.ts';
import { receive, VIDEO } from '../../test/helpers/counted-broadcast.ts';
import { freePort } from '../../test/helpers/ports.ts';
import type { RtmpPlace } from '../../test/helpers/rtmp-encoder.ts';
import { startService, type Service } from '../../test/helpers/service.ts';
import { until } from '../../test/helpers/until.ts';
import { tableOf, writeFigures } from '../document.ts';
import { segmentsOf, tagsOf } from './clip.ts';
import { compare, shownInAll, type Compared } from './shown.ts';
import { rtmpFile, type RtmpFile } from './rtmp-file.ts';
import { channel, encoderOnABadNetwork, phone, picturesOf, type Given } from './sources.ts';

const minutes = Number(/^--minutes=([\d.]+)$/mu.exec(process.argv.join('\n'))?.[1] ?? 60);
const SECONDS = Math.round(minutes * 60);
/** So many instants, spread over the time and away from its ends. */
const spread = (count: number): number[] =>
  Array.from({ length: count }, (_, i) => Math.round(((i + 1) * SECONDS) / (count + 1)));

const FORMS = {
  encoded: { settings_video: { ...VIDEO, height: 180, bitrate: 400, h264: { keyframe_interval: 1 } } },
  copied: { settings_video: { codec: 'copy' }, settings_audio: { codec: 'copy' } },
} as const;
/** All that was on air stays in the playlists. */
const SERVED = { segment_duration: 4, time_shift_buffer_depth: SECONDS + 600 };
type Form = keyof typeof FORMS;
const wanted = (/^--forms=([a-z,]+)$/mu.exec(process.argv.join('\n'))?.[1] ?? 'encoded,copied').split(',') as Form[];

interface Broadcast {
  name: string;
  livestreamId: number;
  ids: Record<string, number>;
  rtmp: RtmpFile;
  files: Record<string, string>;
  stop(): Promise<void>;
}

async function broadcast(
  service: Service,
  name: string,
  channelId: number,
  form: keyof typeof FORMS,
): Promise<Broadcast> {
  const title = `${name}, ${form}`;
  const file = (kind: string): string => join(service.scratch, `${name}-${form}-${kind}.ts`.replaceAll(' ', '-'));
  const encodingId = await service.create('/encodings', { name: title, ...FORMS[form] });
  const [srt, udp] = [await freePort(), await freePort()];
  const files = { SRT: file('srt'), STREAM: file('stream') };
  const receivers = [
    receive(`srt://127.0.0.1:${srt}?mode=listener`, files.SRT),
    receive(`udp://127.0.0.1:${udp}?fifo_size=50000`, files.STREAM),
  ];
  const rtmp = await rtmpFile(file('rtmp').replace('.ts', '.h264'));
  const settings = {
    'HLS / TS': SERVED,
    CMAF: SERVED,
    RTMP: { url: rtmp.url, stream_key: 'k' },
    SRT: { url: `srt://127.0.0.1:${srt}` },
    STREAM: { url: `udp://127.0.0.1:${udp}` },
    Record: {},
  };
  const ids: Record<string, number> = {};
  for (const [type, own] of Object.entries(settings))
    ids[type] = await service.create('/publishings', { name: `${title} ${type}`, type, settings: own });
  const elements = Object.values(ids);
  const publishingGroupId = await service.create('/publishings/groups', { name: title, elements });
  const bound = { channelId, encodingId, publishingGroupId };
  const livestreamId = await service.create('/livestreams', { name: title, ...bound });
  return {
    name: title,
    livestreamId,
    ids,
    rtmp,
    files,
    async stop() {
      await service.rest('POST', `/livestreams/${livestreamId}/stop`, {});
      await until('off air', async () => (await statusOf(service, livestreamId)).status !== 2);
      for (const receiver of receivers) receiver.kill('SIGTERM');
      await rtmp.close();
    },
  };
}

/** Keeps all that is served, as it stands at the end of the show. */
function kept(service: Service, one: Broadcast): Record<string, string> {
  const playlists: Record<string, string> = {};
  for (const type of ['HLS / TS', 'CMAF']) {
    const live = liveDir(join(service.dataDir, 'device'), one.livestreamId, one.ids[type]!);
    const copy = join(service.scratch, `kept-${one.ids[type]}`);
    cpSync(live, copy, { recursive: true });
    const tracks = readdirSync(copy, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    const playlist = join(copy, tracks.map(({ name }) => name).sort()[0]!, 'index.m3u8');
    appendFileSync(playlist, '#EXT-X-ENDLIST\n');
    playlists[type] = playlist;
  }
  return playlists;
}

/** The files of the Recording in the order of their media: the tenth part follows the ninth. */
async function recorded(device: string, livestreamId: number): Promise<string[]> {
  const all = await listRecordings(device);
  return all.filter((one) => one.livestreamId === livestreamId).flatMap(({ files }) => files.map(({ path }) => path));
}

/** Each output. */
async function look(
  service: Service,
  one: Broadcast,
  given: Given,
  playlists: Record<string, string>,
): Promise<string[][]> {
  const device = join(service.dataDir, 'device');
  const inputs: Record<string, string[]> = {
    'HLS / TS': [playlists['HLS / TS']!],
    CMAF: [playlists['CMAF']!],
    RTMP: [one.rtmp.path],
    SRT: [one.files['SRT']!],
    STREAM: [one.files['STREAM']!],
    Record: await recorded(device, one.livestreamId),
  };
  const rows: string[][] = [];
  for (const [type, paths] of Object.entries(inputs)) {
    const found: Compared = compare(picturesOf(given), await shownInAll(paths));
    const { given: count, missing, gaps, longest, repeated, others, errors } = found;
    rows.push([one.name, type, ...[count, missing, longest, repeated, others, errors].map(String)]);
    const where = gaps.map(([from, to]) => `${from}–${to}`).join(' ');
    process.stderr.write(`${rows.at(-1)!.join(', ')}${where && `; missing: ${where}`}\n`);
  }
  return rows;
}

async function eventsOf(service: Service, { livestreamId }: Broadcast): Promise<string> {
  const { body } = await service.rest('GET', `/livestreams/${livestreamId}/events?pageSize=100`);
  const counts = new Map<string, number>();
  for (const { kind } of body.rows as { kind: string }[]) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts].map(([kind, count]) => `${kind} ${count}`).join(', ');
}

async function pushed(service: Service, name: string): Promise<{ channelId: number; place: RtmpPlace }> {
  const [port, key] = [await freePort(), 'hour-key'];
  const settings = { app: 'live', stream_key: key, port };
  const channelId = await service.create('/channels', { name, type: 'RTMP-Push', settings });
  await until('its listener', async () => {
    const { body } = await service.rest('GET', `/channels/${channelId}`);
    return body.data.ingest.state === 'waiting';
  });
  return { channelId, place: { port, app: 'live', key } };
}

const service = await startService();
try {
  const dir = service.scratch;
  const [wide, tall] = [tagsOf(dir), tagsOf(dir, '180x320')];
  const [programme, advert] = [segmentsOf(dir, 'programme'), segmentsOf(dir, 'advert')];
  const [turned, cut] = [await pushed(service, 'a phone'), await pushed(service, 'an encoder')];
  const fast = await channel({ seconds: SECONDS, events: spread(8) }, programme, advert);
  const settings = { url: fast.url };
  const channelId = await service.create('/channels', { name: 'a channel', type: 'Stream', settings });
  const sending = Promise.all([
    phone(turned.place, { seconds: SECONDS, events: spread(12) }, wide, tall),
    encoderOnABadNetwork(cut.place, { seconds: SECONDS, events: spread(6) }, wide),
  ]);
  const sources = [
    ['a phone that turns twelve times', turned.channelId],
    ['an encoder that loses its network six times', cut.channelId],
    ['a channel with eight breaks', channelId],
  ] as const;
  const shows: Broadcast[] = [];
  for (const [name, id] of sources) for (const form of wanted) shows.push(await broadcast(service, name, id, form));
  await Promise.all(shows.map(({ livestreamId }) => goOnAir(service, livestreamId)));
  const [phoneGave, encoderGave] = await sending;
  // What is on its way comes out, and the last segments close.
  await sleep(8000);
  const playlists = shows.map((show) => kept(service, show));
  for (const show of shows) await show.stop();
  const given = [phoneGave, encoderGave, fast.given()];
  const rows: string[][] = [];
  for (const [at, show] of shows.entries()) {
    process.stderr.write(`${show.name}: ${await eventsOf(service, show)}\n`);
    rows.push(...(await look(service, show, given[Math.floor(at / wanted.length)]!, playlists[at]!)));
  }
  fast.close();
  const heads = ['Source', 'Output', 'Pictures given', 'Missing', 'Longest gap', 'Repeated', 'Slate', 'Decode errors'];
  const text = tableOf(heads, rows);
  process.stdout.write(`${text}\n`);
  if (process.argv.includes('--write'))
    await writeFigures('hour', `${minutes} minutes, ${COUNTED_FPS} pictures a second.\n\n${text}`);
} finally {
  await service.dispose();
}
