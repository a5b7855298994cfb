/** Resources of one running service, for the examples: each is made when asked for, under a name of its own, by the administrator. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeIssuer, type Issuer } from '../helpers/licences.ts';
import { startRemoteDevice, type RemoteDevice } from '../helpers/remote-device.ts';
import { makeClip, type Service } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';
import type { Args } from './doors.ts';

/** In every secret that the examples store: none of them may come out again. */
export const CANARY = 'kanarienvogel';
/** For keys that have to be 32 hexadecimal digits. */
export const HEX_CANARY = 'ca4a21e5ca4a21e5ca4a21e5ca4a21e5';
/** Nobody listens on the discard port: outside services are refused at once. */
export const NOWHERE = 'http://127.0.0.1:9';

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- rows of every kind of resource
export type Row = Record<string, any> & { id: number };

export interface World {
  readonly service: Pick<Service, 'rest'>;
  /** Of the licences that the service accepts. */
  readonly issuer: Issuer;
  /** Whatever must not come out again. */
  readonly secrets: string[];
  /** A name that was not used before; the digits are all that differs. */
  name(): string;
  post(path: string, body: Args): Promise<Row>;
  rows(path: string): Promise<Row[]>;
  /** The agent of another machine, the same one for the same purpose. */
  remote(purpose: string): Promise<RemoteDevice>;
  close(): Promise<void>;
}

export function createWorld(service: Pick<Service, 'rest'>, issuer = makeIssuer()): World {
  let count = 1000;
  const remotes = new Map<string, Promise<RemoteDevice>>();
  return {
    service,
    issuer,
    secrets: [CANARY, HEX_CANARY],
    name() {
      count += 1;
      return `twin-${count}`;
    },
    async post(path, body) {
      const reply = await service.rest('POST', path, body);
      if (reply.status >= 300) throw new Error(`POST ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
      return reply.body.data as Row;
    },
    async rows(path) {
      const reply = await service.rest('GET', path);
      if (reply.status !== 200) throw new Error(`GET ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
      return reply.body.rows as Row[];
    },
    remote(purpose) {
      let remote = remotes.get(purpose);
      if (remote === undefined) remotes.set(purpose, (remote = startRemoteDevice()));
      return remote;
    },
    async close() {
      for (const remote of remotes.values()) await (await remote).dispose();
    },
  };
}

export const channel = (world: World): Promise<Row> => world.post('/channels', channelBody(world));
export const encoding = (world: World): Promise<Row> => world.post('/encodings', { name: world.name() });
export const publishing = (world: World): Promise<Row> => world.post('/publishings', publishingBody(world));
export const token = (world: World): Promise<Row> => world.post('/security/tokens', { name: world.name() });
export const user = (world: World): Promise<Row> => world.post('/users', userBody(world));
export const drmProvider = (world: World): Promise<Row> =>
  world.post('/settings/integrations/drmproviders', drmProviderBody(world));
export const cloudAccount = (world: World): Promise<Row> =>
  world.post('/settings/integrations/cloud', cloudAccountBody(world));
export const remoteFolder = (world: World): Promise<Row> => world.post('/remotefolders', remoteFolderBody(world));
export const targetFolder = (world: World): Promise<Row> => world.post('/targetfolders', targetFolderBody(world));

export async function deviceId(world: World): Promise<number> {
  const [device] = await world.rows('/devices?pageSize=1&sort=id');
  if (device === undefined) throw new Error('the service has no Device');
  return device.id;
}

export async function encodingGroup(world: World): Promise<Row> {
  const { id } = await encoding(world);
  return world.post('/encodings/groups', { name: world.name(), elements: [id] });
}

export async function publishingGroup(world: World): Promise<Row> {
  const { id } = await publishing(world);
  return world.post('/publishings/groups', { name: world.name(), elements: [id] });
}

export async function deviceGroup(world: World): Promise<Row> {
  return world.post('/devices/groups', { name: world.name(), devices: [await deviceId(world)] });
}

export async function userGroup(world: World): Promise<Row> {
  const { id } = await user(world);
  return world.post('/usergroups', { name: world.name(), elements: [id] });
}

export async function livestream(world: World): Promise<Row> {
  return world.post('/livestreams', await livestreamBody(world));
}

export async function schedule(world: World): Promise<Row> {
  return world.post('/schedules', await scheduleBody(world));
}

/** Far ahead: nothing of it happens while the examples are tried. */
export async function scheduleBody(world: World): Promise<Args> {
  const instant = (hours: number): string => new Date(Date.UTC(2099, 0, 1, hours)).toISOString();
  return {
    name: world.name(),
    livestreamId: (await livestream(world)).id,
    start: instant(20),
    end: instant(21),
    recurrence: { type: 'daily', until: instant(90) },
  };
}

export async function scheduleSkip(world: World): Promise<{ scheduleId: number; skipId: number }> {
  const { id: scheduleId, start } = await schedule(world);
  const skip = await world.post(`/schedules/${scheduleId}/skips`, { occurrence_start: start });
  return { scheduleId, skipId: skip['skipId'] as number };
}

/** Years ahead: it never falls due in a test. */
export function actionBody(): Args {
  return { type: 'text', payload: { action: 'show', text: 'Soon' }, execute_at: '2099-12-31T23:59:59Z' };
}

export async function plannedAction(world: World): Promise<Row> {
  const { id } = await livestream(world);
  return world.post(`/livestreams/${id}/actions`, actionBody());
}

/** Some of the examples go on air: their pictures are of a size that costs little. */
const SMALL_VIDEO = { bitrate: 300, width: 320, height: 180, fps: 25 };
const smallEncoding = (world: World): Promise<Row> =>
  world.post('/encodings', { name: world.name(), settings_video: SMALL_VIDEO });

export async function livestreamBody(world: World): Promise<Args> {
  const hls = await world.post('/publishings', { name: world.name(), type: 'HLS / TS' });
  return {
    name: world.name(),
    channelId: (await channel(world)).id,
    encodingId: (await smallEncoding(world)).id,
    publishingId: hls.id,
  };
}

/** A 1×1 PNG under a name of its own. */
export function assetBody(world: World): { fileType: string; filename: string; content_base64: string } {
  const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
  return { fileType: 'logos', filename: `${world.name()}.png`, content_base64: png };
}

export async function asset(world: World): Promise<{ fileType: string; filename: string }> {
  const body = assetBody(world);
  await world.post('/assets', body);
  return { fileType: body.fileType, filename: body.filename };
}

export function channelBody(world: World): Args {
  const url = `http://user:${CANARY}@127.0.0.1:9/live.m3u8?token=${CANARY}`;
  return { name: world.name(), type: 'Stream', settings: { url } };
}

/** RTMP has no place for a user name or a password: its secrets are the key, the path and the query. */
export function publishingBody(world: World): Args {
  const settings = {
    url: `rtmp://127.0.0.1:9/live/${CANARY}?token=${CANARY}`,
    backup_url: `rtmp://127.0.0.1:9/backup/${CANARY}?token=${CANARY}`,
    stream_key: `${CANARY}-stream-key`,
  };
  return { name: world.name(), type: 'RTMP', settings };
}

export function userBody(world: World): Args {
  const name = world.name();
  const names = { username: name, first_name: 'Ada', last_name: 'Twin', email: `${name}@example.org` };
  return { ...names, password: `${CANARY}-password`, user_role: 2 };
}

export function drmProviderBody(world: World): Args {
  const keys = [{ kid: '00112233445566778899aabbccddeeff', key: HEX_CANARY }];
  return { name: world.name(), provider_type: 'STATIC', credentials: { keys } };
}

export function spekeProviderBody(world: World): Args {
  const credentials = { username: 'operator', password: `${CANARY}-password` };
  return { name: world.name(), provider_type: 'SPEKE', speke_url: `${NOWHERE}/speke`, credentials };
}

export function cloudAccountBody(world: World): Args {
  return { client: world.name(), client_id: '1', password: `${CANARY}-token` };
}

export function remoteFolderBody(world: World): Args {
  const place = { protocol: 'WEBDAV', host: NOWHERE, folder: '/recordings' };
  return { name: world.name(), ...place, user: 'operator', password: `${CANARY}-password` };
}

export function targetFolderBody(world: World): Args {
  const place = { type: 'S3', endpoint: NOWHERE, region: 'us-east-1', bucket: 'clips', folder: 'clips/' };
  return { name: world.name(), ...place, access_key: 'AKIAEXAMPLE', secret_key: `${CANARY}-secret` };
}

export function ftpFolderBody(world: World): Args {
  const place = { type: 'FTP', host: '127.0.0.1', port: 9, folder: '/clips' };
  return { name: world.name(), ...place, user: 'operator', password: `${CANARY}-password` };
}

/** A licence with every feature that unlocks something. */
export async function licenceBody(world: World): Promise<Args> {
  const features = ['editor', 'videosite', 'cloud'];
  const license = await world.issuer.issue({ features, customer: 'Twin Television', expires_at: null });
  world.secrets.push(license.slice(license.lastIndexOf('.') + 1));
  return { license };
}

/** Ready to be paired: an agent that was paired for the last twin of the purpose is given new credentials. */
export async function deviceBody(world: World, purpose = 'addDevice'): Promise<Args> {
  const remote = await world.remote(purpose);
  const before = remote.credentials();
  if (paired.has(remote)) remote.unpair();
  const shown = await until('credentials to pair with', () => {
    const now = remote.credentials();
    return now?.register_password !== before?.register_password || !paired.has(remote) ? now : undefined;
  });
  paired.add(remote);
  return { name: world.name(), location: 'Truck 2', ip_address: remote.address, type: 'standalone', ...shown };
}
const paired = new WeakSet<RemoteDevice>();

export async function remoteDevice(world: World): Promise<Row> {
  return world.post('/devices', await deviceBody(world, 'deleteDevice'));
}

/** More than one round of examples takes; each is one copying ffmpeg for some seconds. */
const RECORDINGS_A_RUN = 12;
const shelves = new WeakMap<World, Row[]>();

/** A finished Recording that no example has had before: one run gives a dozen. */
export async function recording(world: World): Promise<Row> {
  const shelf = shelves.get(world) ?? [];
  shelves.set(world, shelf);
  if (shelf.length === 0) shelf.push(...(await record(world)));
  return shelf.shift()!;
}

async function record(world: World): Promise<Row[]> {
  const elements: number[] = [];
  while (elements.length < RECORDINGS_A_RUN)
    elements.push((await world.post('/publishings', { name: world.name(), type: 'Record' })).id);
  const { id: publishingGroupId } = await world.post('/publishings/groups', { name: world.name(), elements });
  const body = await livestreamBody(world);
  const filename = await filmAsset(world);
  const film = { name: world.name(), type: 'File', settings: { filename } };
  const { id: channelId } = await world.post('/channels', film);
  const bound = { channelId, publishingId: null, publishingGroupId };
  const { id } = await world.post('/livestreams', { ...body, ...bound });
  // A Device of the examples may be paired anew at any time, and takes its Recordings along.
  await world.post(`/livestreams/${id}/start`, { deviceId: await deviceId(world) });
  const written = (): Promise<Row[]> => world.rows(`/recordings?livestreamId=${id}&sort=id`);
  await until('all are being recorded', async () => (await written()).length === RECORDINGS_A_RUN, 60_000);
  await world.post(`/livestreams/${id}/stop`, {});
  const finished = async (): Promise<Row[] | false> => {
    const rows = await written();
    return rows.every(({ status }) => status === 'finished') && rows;
  };
  return until('all are finished', finished, 60_000);
}

async function filmAsset(world: World): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), 'onair-film-'));
  try {
    const content = readFileSync(makeClip(join(dir, 'film.mp4'), 3)).toString('base64');
    const filename = `${world.name()}.mp4`;
    await world.post('/assets', { fileType: 'files', filename, content_base64: content });
    return filename;
  } finally {
    rmSync(dir, { recursive: true });
  }
}
