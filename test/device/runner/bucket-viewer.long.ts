/** hls.js plays a broadcast from a bucket, through the ways in which what fills it can be interrupted. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, createServer as createPort, type AddressInfo, type Server, type Socket } from 'node:net';
import { test } from 'node:test';
import type { RunSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import { signedHeaders } from '../../../device/media/manifests/bucket-signature.ts';
import { cleanUp, type TestScope } from '../../helpers/clean-up.ts';
import { players } from '../../helpers/players.ts';
import { startS3 } from '../../helpers/servers/s3.ts';
import { until } from '../../helpers/until.ts';
import { clip, folder, running, startRunner, type TestRunner } from './runner-fixture.ts';
import { fileSource, output, rendition, runSpec } from './specs.ts';

const KEYS = { accessKey: 'CANARYKEYOFBUCKET', secretKey: 'canary-secret-of-bucket' };
const [BUCKET, LISTED, ID] = ['clips', 6, 21];

const SCRIPT = `
const video = document.querySelector('video');
window.errors = [];
window.look = () => ({ at: video.currentTime, errors: window.errors });
window.watch = (url) => {
  const hls = new Hls();
  hls.on(Hls.Events.ERROR, (_, { fatal, details }) => fatal && window.errors.push(details));
  hls.loadSource(url);
  hls.attachMedia(video);
  video.play().catch(() => undefined);
};
`;

async function listening(t: TestScope, server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => void sockets.add(socket.on('error', () => undefined)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUp(t, () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return (server.address() as AddressInfo).port;
}

/** The way of the runner to the bucket, which can be shut. */
async function openWay(t: TestScope, port: number): Promise<{ port: number; isShut: boolean; shut(): void }> {
  const open = new Set<Socket>();
  const server = createPort((socket) => {
    if (state.isShut) return void socket.destroy();
    const other = connect(port, '127.0.0.1');
    for (const one of [socket, other]) open.add(one.on('error', () => undefined));
    socket.pipe(other).pipe(socket);
    socket.once('close', () => other.destroy());
    other.once('close', () => socket.destroy());
  });
  const state = {
    port: 0,
    isShut: false,
    shut() {
      state.isShut = true;
      for (const one of open) one.destroy();
    },
  };
  state.port = await listening(t, server);
  return state;
}

interface Bucket {
  /** A way in, with the address of a folder by it. */
  way(folder: string): Promise<Awaited<ReturnType<typeof openWay>> & { address: string }>;
  /** Viewers read it there, as from a CDN in front of a private bucket. */
  front: string;
  /** Objects by their names, sorted. */
  objects(): Promise<string[]>;
}

async function bucketOf(t: TestScope): Promise<Bucket> {
  const server = await startS3(KEYS.accessKey, KEYS.secretKey);
  cleanUp(t, () => server.stop());
  const read = (path: string): Promise<Response> => {
    const url = new URL(`http://127.0.0.1:${server.port}/${BUCKET}${path}`);
    const request = { method: 'GET', url, headers: {}, body: undefined, now: Date.now() };
    return fetch(url, { headers: signedHeaders(request, { ...KEYS, region: 'us-east-1' }) });
  };
  // This server shows an object while it is being written; S3 shows it whole, or as it was before.
  const readWhole = async (path: string): Promise<{ status: number; bytes: Buffer }> => {
    for (let before: Buffer | undefined; ;) {
      const found = await read(path);
      const bytes = Buffer.from(await found.arrayBuffer());
      if (!path.endsWith('.m3u8') || (bytes.length > 0 && before?.equals(bytes) === true))
        return { status: found.status, bytes };
      before = bytes;
    }
  };
  const answer = async ({ url = '' }: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const { status, bytes } = await readWhole(url);
    outgoing.writeHead(status, { 'access-control-allow-origin': '*' });
    outgoing.end(bytes);
  };
  const front = await listening(
    t,
    createServer((incoming, outgoing) => void answer(incoming, outgoing).catch(() => outgoing.destroy())),
  );
  return {
    async way(name) {
      const own = await openWay(t, server.port);
      return Object.assign(own, { address: `s3://${BUCKET}/${name}?endpoint=http://127.0.0.1:${own.port}` });
    },
    front: `http://127.0.0.1:${front}`,
    async objects() {
      const list = await (await read('')).text();
      return [...list.matchAll(/<Key>([^<]+)<\/Key>/gu)].map(([, key]) => key!).sort();
    },
  };
}

function stateOf(runner: TestRunner, which: 'primary' | 'backup'): Promise<string | undefined> {
  return runner.report().then(({ publishings }) => publishings[0]?.[which]?.state);
}

test('hls.js plays on from a bucket after its runner was killed and after the bucket was away, and no object is left that has had its time', async (t) => {
  const dir = folder(t);
  const bucket = await bucketOf(t);
  const way = await bucket.way('live');
  const settings = { access_key: KEYS.accessKey, secret_key: KEYS.secretKey, playlist_length: LISTED };
  const outputs = [output(ID, 'HLS / TS', { ...settings, url: way.address })];
  const spec = runSpec('bucket', fileSource(clip(dir)), outputs, { renditions: [rendition(11, 320, 180, 300)] });
  let runner = startRunner(t, dir, spec);
  const first = runner;
  await running(runner);
  await until('it is up', async () => (await stateOf(runner, 'primary')) === 'up');
  const page = await (await players(t, SCRIPT))();
  await page.evaluate(`window.watch('${bucket.front}/live/index.m3u8')`);
  const playsOn = async (what: string): Promise<void> => {
    let from: number | undefined;
    await until(
      what,
      async () => {
        const { at, errors } = (await page.evaluate('window.look()')) as { at: number; errors: string[] };
        assert.deepEqual(errors, [], what);
        from ??= at;
        return at > from + 8;
      },
      { everyMs: 500, boundMs: 180_000 },
    );
  };
  await playsOn('it plays');

  process.kill(runner.pid, 'SIGKILL');
  await runner.exited;
  runner = startRunner(t, dir, JSON.parse(readFileSync(runner.files.spec, 'utf8')) as RunSpec);
  await running(runner);
  await playsOn('it plays on behind the kill');

  way.shut();
  const reason = await until('the bucket is missed', async () => {
    const primary = (await runner.report()).publishings[0]!.primary!;
    return (primary.state === 'retrying' && primary.last_error) || undefined;
  });
  assert.match(reason, /clips .*cannot be written to/u);
  way.isShut = false;
  await until('it is up again', async () => (await stateOf(runner, 'primary')) === 'up');
  await playsOn('it plays on behind the outage');

  const segments = async (): Promise<string[]> => (await bucket.objects()).filter((name) => name.endsWith('.ts'));
  // Files stay for another window, for players that are slow.
  await until('what has left the window is deleted', async () => (await segments()).length <= 2 * LISTED + 2, {
    everyMs: 500,
    boundMs: 120_000,
  });
  const arguments_ = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' });
  const written = [first, runner].flatMap(({ files, events }) => [readFileSync(files.log, 'utf8'), events()]);
  assert.doesNotMatch(JSON.stringify([written, await runner.report(), arguments_]), /canary/iu);
  await runner.stop();
  assert.equal(await runner.exited, 0);
});

test('a bucket of the backup goes on while that of the primary is away', async (t) => {
  const dir = folder(t);
  const bucket = await bucketOf(t);
  const [primary, backup] = [await bucket.way('primary'), await bucket.way('backup')];
  const urls = { url: primary.address, backup_url: backup.address };
  const settings = { access_key: KEYS.accessKey, secret_key: KEYS.secretKey, playlist_length: LISTED };
  const outputs = [output(ID, 'HLS / TS', { ...settings, ...urls }, { backup: true })];
  const spec = runSpec('buckets', fileSource(clip(dir)), outputs, { renditions: [rendition(11, 320, 180, 300)] });
  const runner = startRunner(t, dir, spec);
  await running(runner);
  for (const which of ['primary', 'backup'] as const)
    await until(`${which} is up`, async () => (await stateOf(runner, which)) === 'up');
  const newest = async (folderOf: string): Promise<number> => {
    const text = await (await fetch(`${bucket.front}/${folderOf}/11/index.m3u8`)).text();
    return Math.max(...[...text.matchAll(/^(\d+)-/gmu)].map(([, number]) => Number(number)));
  };
  primary.shut();
  await until('the primary is missed', async () => (await stateOf(runner, 'primary')) === 'retrying');
  const before = await newest('backup');
  await until('the backup goes on', async () => (await newest('backup')) > before + 3);
  assert.equal(await stateOf(runner, 'backup'), 'up');
  primary.isShut = false;
  await until('the primary is up again', async () => (await stateOf(runner, 'primary')) === 'up');
  await until('it has caught up', async () => (await newest('primary')) > before + 3);
  await runner.stop();
  assert.equal(await runner.exited, 0);
});
