/** Resources of one running service, for the examples: each is made when asked for, under a name of its own, by the administrator. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeIssuer, type Issuer } from '../helpers/licences.ts';
import { startRemoteDevice, type RemoteDevice } from '../helpers/remote-device.ts';
import { makeClip, type Service } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';
import type { Args } from './apis.ts';

/** In every secret that the examples store: none of them may come out again. */
export const CANARY = 'kanarienvogel';
/** For keys that have to be 32 hexadecimal digits. */
export const HEX_CANARY = 'ca4a21e5ca4a21e5ca4a21e5ca4a21e5';
/** Nobody listens on the discard port: outside services are refused at once. */
export const UNREACHABLE_URL = 'http://127.0.0.1:9';

export type Row = Record<string, any> & { id: number };

export interface Resources {
  readonly service: Pick<Service, 'rest'>;
  /** Issuer of the licences that the service accepts. */
  readonly issuer: Issuer;
  /** Values that no answer may hold. */
  readonly secrets: string[];
  /** A name that was not used before; the digits are all that differs. */
  name(): string;
  post(path: string, body: Args): Promise<Row>;
  rows(path: string): Promise<Row[]>;
  /** The agent of another machine, the same one for the same purpose. */
  remote(purpose: string): Promise<RemoteDevice>;
  close(): Promise<void>;
}

export function createResources(service: Pick<Service, 'rest'>, issuer = makeIssuer()): Resources {
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

export const channel = (resources: Resources): Promise<Row> => resources.post('/channels', channelBody(resources));
export const pushedChannel = (resources: Resources): Promise<Row> =>
  resources.post('/channels', { name: resources.name(), type: 'RTMP-Push', settings: { app: 'live' } });
export const encoding = (resources: Resources): Promise<Row> =>
  resources.post('/encodings', { name: resources.name() });
export const publishing = (resources: Resources): Promise<Row> =>
  resources.post('/publishings', publishingBody(resources));
export const token = (resources: Resources): Promise<Row> =>
  resources.post('/security/tokens', { name: resources.name() });
export const joinToken = (resources: Resources): Promise<Row> =>
  resources.post('/devices/joinTokens', { name: resources.name() });
export const user = (resources: Resources): Promise<Row> => resources.post('/users', userBody(resources));
export const drmProvider = (resources: Resources): Promise<Row> =>
  resources.post('/settings/integrations/drmproviders', drmProviderBody(resources));
export const cloudAccount = (resources: Resources): Promise<Row> =>
  resources.post('/settings/integrations/cloud', cloudAccountBody(resources));
export const remoteFolder = (resources: Resources): Promise<Row> =>
  resources.post('/remotefolders', remoteFolderBody(resources));
export const mailRule = (resources: Resources): Promise<Row> =>
  resources.post('/system/mailRules', mailRuleBody(resources));
export const wall = (resources: Resources): Promise<Row> => resources.post('/walls', { name: resources.name() });
export const displayLink = async (resources: Resources): Promise<Row> =>
  resources.post(`/walls/${(await wall(resources)).id}/displayLinks`, { name: 'Lobby' });
export const targetFolder = (resources: Resources): Promise<Row> =>
  resources.post('/targetfolders', targetFolderBody(resources));

export async function deviceId(resources: Resources): Promise<number> {
  const [device] = await resources.rows('/devices?pageSize=1&sort=id');
  if (device === undefined) throw new Error('the service has no Device');
  return device.id;
}

export async function encodingGroup(resources: Resources): Promise<Row> {
  const { id } = await encoding(resources);
  return resources.post('/encodings/groups', { name: resources.name(), elements: [id] });
}

export async function publishingGroup(resources: Resources): Promise<Row> {
  const { id } = await publishing(resources);
  return resources.post('/publishings/groups', { name: resources.name(), elements: [id] });
}

export async function deviceGroup(resources: Resources): Promise<Row> {
  return resources.post('/devices/groups', { name: resources.name(), devices: [await deviceId(resources)] });
}

const memberOfResources = new WeakMap<Resources, Promise<Row>>();

/** The user in all groups of one service: a password takes a quarter of a second of CPU to hash. */
export async function member(resources: Resources): Promise<Row> {
  const one = memberOfResources.get(resources) ?? user(resources);
  memberOfResources.set(resources, one);
  return one;
}

export async function userGroup(resources: Resources): Promise<Row> {
  const { id } = await member(resources);
  return resources.post('/usergroups', { name: resources.name(), elements: [id] });
}

export async function livestream(resources: Resources): Promise<Row> {
  return resources.post('/livestreams', await livestreamBody(resources));
}

export async function schedule(resources: Resources): Promise<Row> {
  return resources.post('/schedules', await scheduleBody(resources));
}

/** Far ahead: nothing of it happens while the examples are tried. */
export async function scheduleBody(resources: Resources): Promise<Args> {
  const instant = (hours: number): string => new Date(Date.UTC(2099, 0, 1, hours)).toISOString();
  return {
    name: resources.name(),
    livestreamId: (await livestream(resources)).id,
    start: instant(20),
    end: instant(21),
    recurrence: { type: 'daily', until: instant(90) },
  };
}

export async function scheduleSkip(resources: Resources): Promise<{ scheduleId: number; skipId: number }> {
  const { id: scheduleId, start } = await schedule(resources);
  const skip = await resources.post(`/schedules/${scheduleId}/skips`, { occurrence_start: start });
  return { scheduleId, skipId: skip['skipId'] as number };
}

/** Years ahead: it never falls due in a test. */
export function actionBody(): Args {
  return { type: 'text', payload: { action: 'show', text: 'Soon' }, execute_at: '2099-12-31T23:59:59Z' };
}

export async function plannedAction(resources: Resources): Promise<Row> {
  const { id } = await livestream(resources);
  return resources.post(`/livestreams/${id}/actions`, actionBody());
}

/** Some of the examples go on air: their pictures are of a size that costs little. */
const SMALL_VIDEO = { bitrate: 300, width: 320, height: 180, fps: 25 };
const smallEncoding = (resources: Resources): Promise<Row> =>
  resources.post('/encodings', { name: resources.name(), settings_video: SMALL_VIDEO });

export async function livestreamBody(resources: Resources): Promise<Args> {
  const hls = await resources.post('/publishings', { name: resources.name(), type: 'HLS / TS' });
  return {
    name: resources.name(),
    channelId: (await channel(resources)).id,
    encodingId: (await smallEncoding(resources)).id,
    publishingId: hls.id,
  };
}

/** A 1×1 PNG under a name of its own. */
export function assetBody(resources: Resources): { fileType: string; filename: string; content_base64: string } {
  const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
  return { fileType: 'logos', filename: `${resources.name()}.png`, content_base64: png };
}

export async function asset(resources: Resources): Promise<{ fileType: string; filename: string }> {
  const body = assetBody(resources);
  await resources.post('/assets', body);
  return { fileType: body.fileType, filename: body.filename };
}

export function channelBody(resources: Resources): Args {
  const url = `http://user:${CANARY}@127.0.0.1:9/live.m3u8?token=${CANARY}`;
  return { name: resources.name(), type: 'Stream', settings: { url } };
}

/** An address of RTMP has no place for a user: its secrets are the path and the query, beside the key and the password. */
export function publishingBody(resources: Resources): Args {
  const settings = {
    url: `rtmp://127.0.0.1:9/live/${CANARY}?token=${CANARY}`,
    backup_url: `rtmp://127.0.0.1:9/backup/${CANARY}?token=${CANARY}`,
    stream_key: `${CANARY}-stream-key`,
    username: 'operator',
    password: `${CANARY}-password`,
  };
  return { name: resources.name(), type: 'RTMP', settings };
}

export function userBody(resources: Resources): Args {
  const name = resources.name();
  const names = { username: name, first_name: 'Ada', last_name: 'Twin', email: `${name}@example.org` };
  return { ...names, password: `${CANARY}-password`, user_role: 2 };
}

export function drmProviderBody(resources: Resources): Args {
  const keys = [{ kid: '00112233445566778899aabbccddeeff', key: HEX_CANARY }];
  return { name: resources.name(), provider_type: 'STATIC', credentials: { keys } };
}

export function spekeProviderBody(resources: Resources): Args {
  const credentials = { username: 'operator', password: `${CANARY}-password` };
  return { name: resources.name(), provider_type: 'SPEKE', speke_url: `${UNREACHABLE_URL}/speke`, credentials };
}

export function cloudAccountBody(resources: Resources): Args {
  return { client: resources.name(), client_id: '1', password: `${CANARY}-token` };
}

export function remoteFolderBody(resources: Resources): Args {
  const place = { protocol: 'WEBDAV', host: UNREACHABLE_URL, folder: '/recordings' };
  return { name: resources.name(), ...place, user: 'operator', password: `${CANARY}-password` };
}

export function targetFolderBody(resources: Resources): Args {
  const place = { type: 'S3', endpoint: UNREACHABLE_URL, region: 'us-east-1', bucket: 'clips', folder: 'clips/' };
  return { name: resources.name(), ...place, access_key: 'AKIAEXAMPLE', secret_key: `${CANARY}-secret` };
}

export function mailRuleBody(resources: Resources): Args {
  return { name: resources.name(), recipients: ['desk@example.org'] };
}

export function ftpFolderBody(resources: Resources): Args {
  const place = { type: 'FTP', host: '127.0.0.1', port: 9, folder: '/clips' };
  return { name: resources.name(), ...place, user: 'operator', password: `${CANARY}-password` };
}

/** A licence with every feature that unlocks something. */
export async function licenceBody(resources: Resources): Promise<Args> {
  const features = ['editor', 'videosite', 'cloud'];
  const license = await resources.issuer.issue({ features, customer: 'Twin Television', expires_at: null });
  resources.secrets.push(license.slice(license.lastIndexOf('.') + 1));
  return { license };
}

/** Ready to be paired: an agent that was paired for the last twin of the purpose is given new credentials. */
export async function deviceBody(resources: Resources, purpose = 'addDevice'): Promise<Args> {
  const remote = await resources.remote(purpose);
  const before = remote.credentials();
  if (paired.has(remote)) remote.unpair();
  const shown = await until('credentials to pair with', () => {
    const now = remote.credentials();
    return now?.register_password !== before?.register_password || !paired.has(remote) ? now : undefined;
  });
  paired.add(remote);
  return { name: resources.name(), location: 'Truck 2', ip_address: remote.address, type: 'standalone', ...shown };
}
const paired = new WeakSet<RemoteDevice>();

export async function remoteDevice(resources: Resources): Promise<Row> {
  return resources.post('/devices', await deviceBody(resources, 'deleteDevice'));
}

const idle = new WeakMap<Resources, Promise<Row>>();

/** A Device on which nothing ever runs. */
export function idleDevice(resources: Resources): Promise<Row> {
  const known =
    idle.get(resources) ?? deviceBody(resources, 'drainDevice').then((body) => resources.post('/devices', body));
  idle.set(resources, known);
  return known;
}

/** One for all that reads, and one for each API by which one is deleted; each is one copying ffmpeg for some seconds. */
const RECORDINGS_A_RUN = 6;
const recordingsOfResources = new WeakMap<Resources, Row[]>();

const keptRecording = new WeakMap<Resources, Promise<Row>>();

/** A finished Recording that nothing deletes. */
export function recording(resources: Resources): Promise<Row> {
  const kept = keptRecording.get(resources) ?? ownRecording(resources);
  keptRecording.set(resources, kept);
  return kept;
}

/** An event of the broadcast whose Recording nothing deletes. */
export async function event(resources: Resources): Promise<Row> {
  const { livestreamId } = await recording(resources);
  const [first] = await resources.rows(`/livestreams/${String(livestreamId)}/events?pageSize=1`);
  return first!;
}

/** A finished Recording that no example has had before. */
export async function ownRecording(resources: Resources): Promise<Row> {
  const heldRecordings = recordingsOfResources.get(resources) ?? [];
  recordingsOfResources.set(resources, heldRecordings);
  if (heldRecordings.length === 0) heldRecordings.push(...(await record(resources)));
  return heldRecordings.shift()!;
}

async function record(resources: Resources): Promise<Row[]> {
  const elements: number[] = [];
  while (elements.length < RECORDINGS_A_RUN)
    elements.push((await resources.post('/publishings', { name: resources.name(), type: 'Record' })).id);
  const { id: publishingGroupId } = await resources.post('/publishings/groups', { name: resources.name(), elements });
  const body = await livestreamBody(resources);
  const filename = await filmAsset(resources);
  const film = { name: resources.name(), type: 'File', settings: { filename } };
  const { id: channelId } = await resources.post('/channels', film);
  const bound = { channelId, publishingId: null, publishingGroupId };
  const { id } = await resources.post('/livestreams', { ...body, ...bound });
  // A Device of the examples may be paired anew at any time, and takes its Recordings along.
  await resources.post(`/livestreams/${id}/start`, { deviceId: await deviceId(resources) });
  const written = (): Promise<Row[]> => resources.rows(`/recordings?livestreamId=${id}&sort=id`);
  await until('all are being recorded', async () => (await written()).length === RECORDINGS_A_RUN);
  await resources.post(`/livestreams/${id}/stop`, {});
  const finished = async (): Promise<Row[] | false> => {
    const rows = await written();
    return rows.every(({ status }) => status === 'finished') && rows;
  };
  return until('all are finished', finished);
}

async function filmAsset(resources: Resources): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), 'onair-film-'));
  try {
    const content = readFileSync(makeClip(join(dir, 'film.mp4'), 3)).toString('base64');
    const filename = `${resources.name()}.mp4`;
    await resources.post('/assets', { fileType: 'files', filename, content_base64: content });
    return filename;
  } finally {
    rmSync(dir, { recursive: true });
  }
}
