/** Every port that strangers reach, held by silent connections and by those that read nothing: who else is served, and what it costs. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect as connectHttp2 } from 'node:http2';
import { get as getPlain } from 'node:http';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { openChannel } from '../../device/agent/dial/dial-out.ts';
import { liveDir } from '../../device/run-dir.ts';
import { joinIdentity, parseJoinToken } from '../../domain/shapes/sources/channel-key.ts';
import { publish } from '../../test/device/push/push-fixture.ts';
import { freePort } from '../../test/helpers/ports.ts';
import { selfSigned } from '../../test/helpers/servers/certificate.ts';
import { processesOf, startService, type Service } from '../../test/helpers/service.ts';
import { until } from '../../test/helpers/until.ts';
import { sleepSeconds, useOf } from '../copy/use.ts';
import { bounded, type Figure } from '../figures.ts';

const CROWD = fileURLToPath(new URL('crowd.mjs', import.meta.url));
const [SILENT, NOT_READING] = [700, 200];
const CALLERS = 20;
const CALL_MS = 10_000;
const SEGMENT = '/live/9999/9999/segment.ts';
/** Version and time of a handshake of RTMP, and the first record of TLS. */
const [C0_C1, CLIENT_HELLO] = [`03${'00'.repeat(1536)}`, '1603010200'];

interface Crowd {
  what: string;
  port: number;
  count: number;
  tls?: boolean;
  text?: string;
  hex?: string;
  /** It goes on with a byte a second. */
  isSlow?: boolean;
  requests?: number;
  path?: string;
}

interface Port {
  name: string;
  crowds: Omit<Crowd, 'port'>[];
  port: number;
  /** Resolves with whether an honest caller is served. */
  call(): Promise<boolean>;
}

/** Holds the port while `work` goes on. */
async function held<T>(crowd: Crowd, from: string, work: () => Promise<T>): Promise<T> {
  const child = spawn(process.execPath, [CROWD, JSON.stringify({ ...crowd, from })], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  try {
    await once(child.stdout, 'data');
    return await work();
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
}

function inTime(work: Promise<boolean>): Promise<boolean> {
  return Promise.race([work.catch(() => false), sleepSeconds(CALL_MS / 1000).then(() => false)]);
}

const statusBy = (ask: typeof get, url: string): Promise<number> =>
  new Promise((resolve, reject) => {
    ask(url, { agent: false, rejectUnauthorized: false } as object, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0));
    }).once('error', reject);
  });

async function byHttp2(url: string): Promise<boolean> {
  const session = connectHttp2(url, { rejectUnauthorized: false });
  session.on('error', () => undefined);
  try {
    return (await buffer(session.request({ ':path': SEGMENT }))).length > 100_000;
  } finally {
    session.destroy();
  }
}

/** Callers need this; it is made by REST, before the server speaks TLS. */
interface SetUp {
  rtmp: number;
  secret: { identity: string; psk: Buffer };
}

async function setUp(service: Service): Promise<SetUp> {
  const rtmp = await freePort();
  const settings = { app: 'live', stream_key: 'key-of-encoder', port: rtmp };
  const channel = await service.create('/channels', { name: 'Camera', type: 'RTMP-Push', settings });
  const { body } = await service.rest('POST', '/devices/joinTokens', { name: 'site', max_uses: 10_000 });
  const { kid, key } = parseJoinToken((body as { data: { token: string } }).data.token)!;
  await until('it is listened for', async () => {
    const reply = await service.rest('GET', `/channels/${channel}`);
    return (reply.body as { data: { ingest: { state: string } } }).data.ingest.state === 'waiting';
  });
  return { rtmp, secret: { identity: joinIdentity(kid), psk: Buffer.from(key, 'base64url') } };
}

function portsOf(service: Service, { rtmp, secret }: SetUp, device: number, redirect: number): Port[] {
  const port = Number(new URL(service.url).port);
  const media = `https://127.0.0.1:${port + 1}`;
  const asking = `GET ${SEGMENT} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`;
  const silent = { what: 'silent', count: SILENT };
  const slow = { count: NOT_READING, tls: true, isSlow: true };
  const head = 'Host: 127.0.0.1\r\n';
  const web: Port['crowds'] = [
    silent,
    { what: 'silent in TLS', count: SILENT, hex: CLIENT_HELLO },
    { what: 'silent behind TLS', count: SILENT, tls: true },
    { what: 'reading nothing', count: NOT_READING, tls: true, text: asking.repeat(8) },
    { ...slow, what: 'reading nothing, and sending on', text: asking },
    { ...slow, what: 'sending a header slowly', text: `GET /live/ HTTP/1.1\r\n${head}X: ` },
  ];
  const server: Port['crowds'] = [
    {
      what: 'reading nothing of a document',
      count: NOT_READING,
      tls: true,
      text: `GET /openapi.json HTTP/1.1\r\n${head}\r\n`,
    },
    {
      ...slow,
      what: 'sending a body slowly',
      text: `POST /svcapiv2/security/login HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: 9999\r\n\r\n`,
    },
  ];
  const http2 = { what: 'reading nothing by HTTP/2', count: NOT_READING, tls: true, requests: 32, path: SEGMENT };
  return [
    {
      name: 'server, TLS',
      port,
      crowds: [...web, ...server],
      call: async () => (await statusBy(get, `https://127.0.0.1:${port}/healthz`)) === 200,
    },
    {
      name: 'media, HTTP/1',
      port: port + 1,
      crowds: [...web, http2],
      call: async () => (await statusBy(get, `${media}${SEGMENT}`)) === 200,
    },
    { name: 'media, HTTP/2', port: port + 1, crowds: [silent, http2], call: () => byHttp2(media) },
    {
      name: 'redirect',
      port: redirect,
      crowds: [silent, { what: 'begun', count: NOT_READING, text: 'GET / HTTP/1.1\r\n' }],
      call: async () => (await statusBy(getPlain as typeof get, `http://127.0.0.1:${redirect}/`)) === 308,
    },
    {
      name: 'RTMP',
      port: rtmp,
      crowds: [silent, { what: 'reading nothing', count: NOT_READING, hex: C0_C1 }],
      // The place of the one before may not be free yet.
      call: async () => /^$|already/u.test((await publish(rtmp, 'live', 'key-of-encoder')) ?? ''),
    },
    {
      name: 'dialled',
      port: device,
      crowds: [silent, { what: 'begun', count: NOT_READING, hex: CLIENT_HELLO }],
      async call() {
        const channel = await openChannel(`127.0.0.1:${device}`, secret, CALL_MS);
        if (typeof channel !== 'string') channel.destroy();
        return typeof channel !== 'string';
      },
    },
  ];
}

export async function benchStrangers(): Promise<Figure[]> {
  const dir = mkdtempSync(join(tmpdir(), 'onair-bench-'));
  const { key, certificate } = selfSigned(dir);
  const [device, redirect] = [await freePort(), await freePort()];
  const service = await startService({ ONAIR_DEVICE_PORT: String(device) });
  try {
    const callers = await setUp(service);
    Object.assign(service.env, { ONAIR_TLS_CERT: certificate, ONAIR_TLS_KEY: key, ONAIR_HTTP_PORT: String(redirect) });
    await service.restart();
    const live = liveDir(join(service.dataDir, 'device'), 9999, 9999);
    mkdirSync(live, { recursive: true });
    writeFileSync(join(live, 'segment.ts'), Buffer.alloc(8 << 20, 7));
    const figures: Figure[] = [];
    for (const { name, port, crowds, call } of portsOf(service, callers, device, redirect))
      for (const crowd of crowds) figures.push(...(await measured(service, name, { ...crowd, port }, call)));
    return figures;
  } finally {
    await service.dispose();
    rmSync(dir, { recursive: true, force: true });
  }
}

/** The worse of two: the crowd at the address of the honest callers, and elsewhere. */
async function measured(service: Service, name: string, crowd: Crowd, call: () => Promise<boolean>): Promise<Figure[]> {
  const megabytes = async (): Promise<number> => {
    const pids = processesOf(service.scratch).map(({ pid }) => pid);
    return (await useOf(pids, 1)).megabytes;
  };
  const shares: number[] = [];
  const growths: number[] = [];
  for (const from of ['127.0.0.1', '127.0.0.2']) {
    const before = await megabytes();
    await held(crowd, from, async () => {
      let served = 0;
      for (let n = 0; n < CALLERS; n += 1) if (await inTime(call())) served += 1;
      shares.push((100 * served) / CALLERS);
      growths.push((await megabytes()) - before);
    });
  }
  const of = `${name}: ${crowd.count} ${crowd.what}`;
  const percent = Math.min(...shares);
  const each = `at the same address ${shares[0]} %, elsewhere ${shares[1]} %`;
  return [
    { name: `${of}: served`, value: percent, unit: '%', bar: '≥ 95', met: percent >= 95, note: each },
    bounded(`${of}: memory`, Math.max(...growths), 60, 'MB', 'PSS of all processes, more than before'),
  ];
}
