/** The relay between ffmpeg and a real RTSP server: transports, credentials, TLS, networks. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { lookup } from 'node:dns';
import { readFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { parseNetworks, Reach, type ResolveAll } from '../../../domain/network/networks.ts';
import { ingestInput } from '../../../device/media/arguments/source-input.ts';
import { relayAnswer } from '../../../device/media/ffmpeg-output/relay-answer.ts';
import { sourceReason } from '../../../device/media/ffmpeg-output/source-reason.ts';
import { RtspRelay } from '../../../device/runner/rtsp/rtsp-relay.ts';

import { itLong, someOf } from '../../helpers/counts.ts';
import { cleanUp, type TestScope } from '../../helpers/clean-up.ts';
import { selfSigned } from '../../helpers/servers/certificate.ts';
import { rtspServerMissing, startRtspServer, type RtspServerOptions } from '../../helpers/servers/rtsp-gstreamer.ts';
import { until } from '../../helpers/until.ts';
import { clip, commandLine, folder } from './runner-fixture.ts';
import { source } from './specs.ts';

const PATIENCE_MS = 60_000;
/** As in an ingest, ffmpeg waits longer than the relay, whose words are to arrive. */
const FFMPEG_PATIENCE_MS = 80_000;
/** A server that takes a reader and gives nothing keeps it for ever. */
const STUCK_MS = 100_000;

type Transport = 'auto' | 'tcp' | 'udp';

interface Looked {
  /** It did not end by itself. */
  isStuck: boolean;
  /** Frames of video and packets of sound that came. */
  counts: string;
  stderr: string;
  arguments: string;
}

interface Trust {
  networks?: string;
  ca?: string;
}

/** A request to a real server. */
interface Request {
  transport?: Transport;
  path?: string;
  /** `user:password@`. */
  login?: string;
  /** It speaks TLS at this host. */
  secureHost?: string;
  trust?: Trust;
}

/**
 * As `look`, at a real server of its own: after a read that it has refused or that has ended in the middle, one of GStreamer may answer nobody more,
 * and one whose media came too late for it never does.
 */
function lookAtOwn(t: TestScope, file: string, options: RtspServerOptions, request: Request = {}): Promise<Looked> {
  const { transport, path = '/live', login = '', secureHost, trust } = request;
  const looked = async (): Promise<Looked | false> => {
    const { port, kill } = await startRtspServer(t, file, options);
    const server = secureHost === undefined ? `rtsp://${login}localhost` : `rtsps://${login}${secureHost}`;
    const found = await look(t, `${server}:${port}${path}`, transport, trust);
    await kill();
    return !found.isStuck && !found.stderr.includes('503 Service Unavailable') && found;
  };
  return until('a server that takes a reader', looked, { boundMs: 4 * STUCK_MS });
}

/** Two seconds of the source. The arguments are those with which an ingest opens it, but a busy machine has a minute for each answer. */
async function look(
  t: TestScope,
  url: string,
  transport?: Transport,
  { networks = '', ca = '' }: Trust = {},
): Promise<Looked> {
  const reach = new Reach(parseNetworks(networks), lookup as unknown as ResolveAll);
  const relay = await RtspRelay.open(reach, () => (ca === '' ? [] : [readFileSync(ca, 'utf8')]), PATIENCE_MS);
  cleanUp(t, () => relay.close());
  const input = ingestInput(source('Stream', { url: relay.addressOf(url, transport) }));
  const args = [
    '-hide_banner',
    '-nostdin',
    '-loglevel',
    'level+info',
    ...input.args.map((arg, n) => (input.args[n - 1] === '-timeout' ? `${FFMPEG_PATIENCE_MS}000` : arg)),
  ];
  args.push('-t', '2', '-map', '0:v', '-map', '0:a', '-c', 'copy', '-f', 'framecrc', 'pipe:1');
  const child = spawn('ffmpeg', args, { stdio: ['ignore', 'pipe', 'pipe'] });
  cleanUp(t, () => void child.kill('SIGKILL'));
  let [out, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const shown = commandLine(child.pid!);
  let isStuck = false;
  const timer = setTimeout(() => {
    isStuck = true;
    child.kill('SIGKILL');
  }, STUCK_MS);
  await new Promise((resolve) => child.once('close', resolve));
  clearTimeout(timer);
  relay.close();
  const count = (stream: string): number => out.split('\n').filter((line) => line.startsWith(`${stream},`)).length;
  return { isStuck, counts: `${count('0')} ${count('1')}`, stderr, arguments: shown };
}

function assertMedia({ counts, stderr }: Looked, what: string): void {
  const [pictures, sounds] = counts.split(' ').map(Number);
  // How many they are in two seconds depends on the machine; sources-rtsp.long.ts counts them.
  const isWhole = pictures! > 0 && sounds! > 0;
  assert.ok(isWhole, `${what}: ${counts}; ${stderr}`);
}

/** A server that answers each request in these words; what it was sent. */
async function scripted(
  t: TestScope,
  answer: (method: string, number: string) => string,
): Promise<{ port: number; sent: () => string }> {
  let sent = '';
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      sent += chunk.toString('latin1');
      const [, method = '', number = ''] = /^(\w+) [^]*?CSeq: (\d+)/iu.exec(chunk.toString('latin1')) ?? [];
      socket.write(answer(method, number));
    });
    cleanUp(t, () => void socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUp(t, () => void server.close());
  return { port: (server.address() as AddressInfo).port, sent: () => sent };
}

describe('a relay of RTSP', { concurrency: 2 }, () => {
  describe('before a real server', { skip: rtspServerMissing, concurrency: 3 }, () => {
    it('media comes by TCP, by UDP, and by UDP after the server has refused TCP', async (t) => {
      const file = clip(folder(t));
      const udp = { transports: ['udp' as const] };
      const tcp = { transports: ['tcp' as const] };
      const [auto, after461, noTcp, noUdp] = await Promise.all([
        lookAtOwn(t, file, {}, { transport: 'auto' }),
        lookAtOwn(t, file, udp, { transport: 'auto' }),
        lookAtOwn(t, file, udp, { transport: 'tcp' }),
        lookAtOwn(t, file, tcp, { transport: 'udp' }),
      ]);
      assertMedia(auto, 'auto');
      assertMedia(after461, 'auto after 461');
      assert.match(sourceReason(noTcp.stderr)!.why, /transport TCP \(461 .*udp or auto/u);
      assert.match(sourceReason(noUdp.stderr)!.why, /transport UDP \(461 .* to tcp/u);
      const missing = sourceReason((await lookAtOwn(t, file, {}, { path: '/live-not' })).stderr)!;
      assert.deepEqual([missing.isRefusal, /404/u.test(missing.why)], [true, true]);
      assertMedia(await lookAtOwn(t, file, {}, { transport: 'udp' }), 'udp');
    });

    for (const method of someOf(['digest', 'basic'] as const, 1))
      it(`credentials are proved by ${method}, and wrong ones are named without being shown`, async (t) => {
        const [user, password] = ['an admin', 'canary:p@ss/ö'];
        const file = clip(folder(t));
        const loginOf = (own: string): string => `${encodeURIComponent(user)}:${encodeURIComponent(own)}@`;
        const lookAs = (login: string): Promise<Looked> => lookAtOwn(t, file, { user, password, method }, { login });
        const wrong = await lookAs(loginOf('canary-wrong'));
        assert.deepEqual(sourceReason(wrong.stderr), {
          why: 'its server refuses the user name or the password (401 Unauthorized)',
          isRefusal: true,
        });
        assert.match(sourceReason((await lookAs('')).stderr)!.why, /wants a user name and a password/u);
        const right = await lookAs(loginOf(password));
        assertMedia(right, method);
        for (const { stderr, arguments: shown } of [right, wrong]) assert.ok(!/canary|admin/u.test(stderr + shown));
      });

    itLong('a server by TLS is believed by its certificate alone', async (t) => {
      const dir = folder(t);
      const { key, certificate } = selfSigned(dir);
      const file = clip(dir);
      for (const secureHost of ['localhost', '127.0.0.1']) {
        const lookWith = (trust: Trust, transport?: Transport): Promise<Looked> =>
          lookAtOwn(t, file, { key, certificate }, { secureHost, trust, ...(transport && { transport }) });
        assert.match(sourceReason((await lookWith({})).stderr)!.why, /certificate is not trusted/u);
        assertMedia(await lookWith({ ca: certificate }, 'auto'), secureHost);
      }
      const plain = await scripted(t, () => 'RTSP/1.0 400 Bad Request\r\n\r\n');
      assert.match(sourceReason((await look(t, `rtsps://localhost:${plain.port}/live`)).stderr)!.why, /speaks no TLS/u);
    });
  });

  describe('before a server that gives nothing', { concurrency: 4 }, () => {
    const why = async (t: TestScope, url: string, networks?: string): Promise<string> =>
      sourceReason((await look(t, url, 'auto', { ...(networks !== undefined && { networks }) })).stderr)!.why;

    it('a redirect is refused, and not followed', async (t) => {
      let connections = 0;
      const elsewhere = createServer(() => (connections += 1));
      await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
      cleanUp(t, () => void elsewhere.close());
      const to = `rtsp://user:canary@127.0.0.1:${(elsewhere.address() as AddressInfo).port}/canary`;
      const server = await scripted(t, (method, number) =>
        method === 'OPTIONS'
          ? `RTSP/1.0 200 OK\r\nCSeq: ${number}\r\n\r\n`
          : `RTSP/1.0 302 Moved\r\nCSeq: ${number}\r\nLocation: ${to}\r\n\r\n`,
      );
      const words = await why(t, `rtsp://127.0.0.1:${server.port}/live`);
      assert.match(words, /^its server redirects to another address, on 127\.0\.0\.1:\d+, which is not followed/u);
      assert.ok(!words.includes('canary'));
      assert.equal(connections, 0);
    });

    it('a server that serves multicast alone is not asked again by a transport that it has refused', async (t) => {
      const sdp =
        'v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=x\r\nc=IN IP4 239.1.2.3/8\r\nt=0 0\r\nm=video 5004 RTP/AVP 33\r\n';
      const server = await scripted(t, (method, number) => {
        const head = (status: string): string => `RTSP/1.0 ${status}\r\nCSeq: ${number}\r\n`;
        if (method === 'OPTIONS') return `${head('200 OK')}\r\n`;
        if (method === 'SETUP') return `${head('461 Unsupported Transport')}\r\n`;
        return `${head('200 OK')}Content-Type: application/sdp\r\nContent-Length: ${sdp.length}\r\n\r\n${sdp}`;
      });
      const { stderr } = await look(t, `rtsp://127.0.0.1:${server.port}/live`, 'auto');
      assert.match(
        relayAnswer(stderr)!.words,
        /neither TCP nor UDP .*multicast alone; write the address of its group/u,
      );
    });

    it('a server that asks on and on, and reads none of the answers, is given up', async (t) => {
      // The number is in the answer, too: few requests fill the buffers of the kernel.
      const flood = Buffer.from(`OPTIONS * RTSP/1.0\r\nCSeq: ${'7'.repeat(15_000)}\r\n\r\n`);
      const servers: Socket[] = [];
      const server = createServer((socket) => {
        servers.push(socket.on('error', () => undefined).pause());
        const ask = (): void => void (socket.writable && socket.write(flood, ask));
        ask();
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const relay = await RtspRelay.open(new Reach(parseNetworks(''), lookup as unknown as ResolveAll), () => []);
      cleanUp(t, () => {
        relay.close();
        server.close();
        for (const socket of servers) socket.destroy();
      });
      const url = relay.addressOf(`rtsp://127.0.0.1:${(server.address() as AddressInfo).port}/live`);
      const client = connect(Number(new URL(url).port), '127.0.0.1');
      cleanUp(t, () => void client.destroy());
      let answers = '';
      client.on('data', (chunk: Buffer) => (answers += chunk.toString()));
      const ask = (number: number): void => void client.write(`OPTIONS ${url} RTSP/1.0\r\nCSeq: ${number}\r\n\r\n`);
      ask(1);
      await until('its end', () => servers[0]?.destroyed);
      ask(2);
      await until('the reason', () => answers.includes('CSeq: 2'));
      assert.match(answers, /RTSP\/1\.0 502 .*asks on and on, and reads no answer\r\nCSeq: 2/u);
    });

    it('an address in a network that may not be reached is refused by address and by name', async (t) => {
      const server = await scripted(t, () => '');
      for (const host of ['127.0.0.1', 'localhost', '2130706433'])
        for (const scheme of ['rtsp', 'rtsps']) {
          const { stderr } = await look(t, `${scheme}://${host}:${server.port}/live`, 'auto', {
            networks: '!127.0.0.1,!::1',
          });
          const answer = relayAnswer(stderr)!;
          assert.ok(answer.isByRules && answer.words.includes('ONAIR_SOURCE_NETWORKS'), answer.words);
        }
      assert.equal(server.sent(), '');
    });

    it('silence, no RTSP, a closed port and an error of the server have words of their own', async (t) => {
      const silent = await scripted(t, () => '');
      const web = await scripted(t, () => 'HTTP/1.1 200 OK\r\n\r\n');
      const broken = await scripted(t, (_, number) => `RTSP/1.0 500 Internal canary\r\nCSeq: ${number}\r\n\r\n`);
      assert.match(await why(t, `rtsp://127.0.0.1:${silent.port}/live?key=canary`), /does not answer in time/u);
      assert.ok(!silent.sent().includes('127.0.0.1:0') && silent.sent().includes('/live?key=canary RTSP/1.0'));
      assert.match(await why(t, `rtsp://127.0.0.1:${web.port}/live`), /no RTSP/u);
      assert.equal(await why(t, `rtsp://127.0.0.1:${broken.port}/live`), 'its server answers with an error (500)');
      assert.match(await why(t, 'rtsp://127.0.0.3:9/live'), /refuses the connection/u);
      assert.match(await why(t, 'rtsp://camera.invalid/live'), /not known in the name service/u);
    });
  });
});
