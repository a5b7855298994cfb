/** The image as `npm run image` builds it: what it says of itself, and a broadcast that runs in containers of it, over kills and from one to the next. */
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { Container, containerMissing, podman } from '../helpers/container.ts';
import { freePort } from '../helpers/ports.ts';
import { endAll, makeClip, PROGRAM, TOKEN } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

const root = dirname(dirname(PROGRAM));
/** Before it is killed, which its exit code would say. Docker gives 10 s. */
const GRACE_SECONDS = 120;

interface RecordingRow {
  status: string;
  size_bytes: number;
}

interface Compose {
  services: { onair: { cap_drop: string[]; security_opt: string[]; tmpfs: string[]; read_only: boolean } };
}

describe('the image', { skip: containerMissing() ?? false }, () => {
  let scratch: string;
  let archive: string;
  let printed: string;
  let image: string;
  let port: number;
  let container: Container;
  let volume: string;

  before(async () => {
    scratch = mkdtempSync(join(tmpdir(), 'onair-image-'));
    volume = scratch.split('/').at(-1)!.toLowerCase();
    port = await freePort();
    const npm = await promisify(execFile)('npm', ['run', '--silent', 'image', '--', scratch], {
      cwd: root,
      maxBuffer: 64 << 20,
    });
    printed = npm.stdout;
    archive = printed.split('\n')[0] ?? '';
    image = /the image (\S+);/u.exec(printed)?.[1] ?? '';
  });
  after(async () => {
    container?.remove();
    await podman('volume', 'rm', '--force', volume).catch(() => undefined);
    endAll(scratch);
  });

  /** The bounds that the compose file gives the container. */
  const { onair } = (parse(readFileSync(join(root, 'docs/compose.yaml'), 'utf8')) as Compose).services;
  const bounds = [
    ...onair.cap_drop.map((name) => `--cap-drop=${name}`),
    ...onair.security_opt.map((name) => `--security-opt=${name}`),
    ...onair.tmpfs.map((folder) => `--tmpfs=${folder}`),
    `--read-only=${onair.read_only}`,
  ];
  const start = (number: number): Promise<Container> =>
    Container.start({
      name: `${volume}-${number}`,
      image,
      volume: [volume, '/var/lib/onair'],
      bounds,
      env: { ONAIR_HOST: '127.0.0.1', ONAIR_PORT: String(port), ONAIR_BOOTSTRAP_TOKEN: TOKEN },
    });
  const get = async (path: string): Promise<Response> =>
    fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: `Bearer ${TOKEN}` } });
  const isOnAir = async (): Promise<boolean> => {
    const response = await get('/svcapiv2/livestreams/1/status').catch(() => undefined);
    if (response?.status !== 200) return false;
    return ((await response.json()) as { data: { status: number } }).data.status === 2;
  };
  const recordings = async (): Promise<RecordingRow[]> =>
    ((await (await get('/svcapiv2/recordings')).json()) as { rows: RecordingRow[] }).rows;
  const pidOf = async (program: string): Promise<number | undefined> =>
    (await container.processes()).find(({ command }) => command.includes(`onair.js ${program}`))?.pid;
  /** Frames that a player on this machine has seen. */
  const frames = (): Promise<number> => {
    const words = ['-v', 'error', '-count_frames', '-select_streams', 'v:0', '-read_intervals', '%+2'];
    const url = `http://127.0.0.1:${port}/live/1/1/index.m3u8`;
    const form = ['-show_entries', 'stream=nb_read_frames', '-of', 'csv=p=0'];
    return promisify(execFile)('ffprobe', [...words, ...form, url]).then(({ stdout }) => Number.parseInt(stdout, 10));
  };

  it('the command prints the archive, its size and how it is loaded, and both kinds of loaders take it with its health check', async () => {
    assert.match(printed, /^\/\S+\/onair_\S+_\w+\.oci\.tar\n\d+ MB, the image \S+;[^\n]*\n.*docker load -i /u);
    const files = execFileSync('tar', ['-tf', archive], { encoding: 'utf8' }).split('\n');
    for (const file of ['oci-layout', 'index.json', 'manifest.json']) assert.ok(files.includes(file), file);
    await podman('pull', '--quiet', `oci-archive:${archive}`);
    await podman('rmi', '--force', image);
    await podman('pull', '--quiet', `docker-archive:${archive}`);
    const check = await podman('inspect', '--format={{json .HealthCheck.Test}}', image);
    assert.deepEqual(JSON.parse(check), ['CMD', 'node', '/usr/lib/onair/bin/onair-health.mjs']);
  });

  it('the image is not root’s, has its data in a volume, its program in exec form, its ports and its labels', async () => {
    const manifest = JSON.parse(entryOf('manifest.json')) as [{ Config: string }];
    const { config } = JSON.parse(entryOf(manifest[0].Config)) as { config: Record<string, object> };
    const [, version] = /\/onair_([^_]+)_\w+\.oci\.tar$/u.exec(archive) ?? [];
    assert.deepEqual(
      [config['User'], config['Volumes'], config['Cmd'], config['Entrypoint'], Object.keys(config['ExposedPorts']!)],
      [
        'onair',
        { '/var/lib/onair': {} },
        ['serve'],
        ['/usr/bin/tini', '--', '/usr/lib/onair/bin/onair-container'],
        ['1935/tcp', '8090/tcp', '8091/tcp'],
      ],
    );
    assert.equal((config['Labels'] as Record<string, string>)['org.opencontainers.image.version'], version);
    assert.ok(Object.hasOwn(config, 'Healthcheck'));
  });

  it('a container within the bounds of the compose file becomes healthy, is the user onair, and lacks nothing that a broadcast needs', async () => {
    container = await start(1);
    await until('healthy', () => container.isHealthy(), { everyMs: 300 });
    assert.equal(await container.run('id', '-un'), 'onair');
    const checks = JSON.parse(await container.run('onair', 'doctor', '-o', 'json')) as { state: string }[];
    assert.deepEqual(
      checks.filter(({ state }) => state === 'error'),
      [],
    );
    assert.match(await container.run('onair', 'device', 'status'), /^sandbox of ffmpeg: landlock/mu);
  });

  it('a broadcast goes on air in the container with a Recording, and a player outside sees its frames', async () => {
    await container.copyIn(makeClip(join(scratch, 'clip.mp4')), '/var/lib/onair/clip.mp4');
    const onair = (line: string): Promise<string> => container.run('sh', '-c', `onair ${line}`);
    for (const line of [
      'upload /var/lib/onair/clip.mp4 --type files',
      'call addChannel --name Talk --type File --settings.filename clip.mp4',
      'call addEncoding --name small --settings_video.height 180 --settings_video.bitrate 300',
      "call addPublishing --name Web --type 'HLS / TS'",
      'call addPublishing --name Kept --type Record',
      'call addPublishingGroup --name All --elements 1,2',
      'call addLivestream --name Show --channelId 1 --encodingId 1 --publishingGroupId 1',
      'call start_livestream --livestream Show --quiet',
    ])
      await onair(line);
    await until('on air', isOnAir, { everyMs: 300 });
    const seen = await until('frames', () => frames().catch(() => 0), { everyMs: 500 });
    assert.ok(seen > 0, `${seen} frames`);
  });

  it('a Device agent and a server that are killed come back beside the broadcast, and no process is left as a zombie', async () => {
    const runner = await pidOf('runner');
    for (const program of ['device', 'serve']) {
      const former = await pidOf(program);
      await container.run('sh', '-c', `kill -9 ${former}`);
      await until(`another ${program}`, async () => ![former, undefined].includes(await pidOf(program)), {
        everyMs: 300,
      });
      await until('on air', isOnAir, { everyMs: 300 });
    }
    assert.equal(await pidOf('runner'), runner);
    assert.match(await container.log(), /ended by signal 9; it is started again/u);
    const hasZombie = async (): Promise<boolean> => (await container.processes()).some(({ isZombie }) => isZombie);
    await until('no zombie', async () => !(await hasZombie()), { everyMs: 500 });
  });

  it('SIGTERM ends server, broadcast, Recording and agent in order, and nothing has to be killed', async (t) => {
    const begun = performance.now();
    assert.equal(await container.stop(GRACE_SECONDS), 0);
    t.diagnostic(`ended after ${((performance.now() - begun) / 1000).toFixed(1)} s`);
    const log = await container.log();
    assert.ok(log.indexOf('"closing') < log.indexOf('every broadcast of this machine and its Device agent have ended'));
  });

  it('a second container on the same volume has everything, and puts the broadcast on air again by itself', async () => {
    container.remove();
    container = await start(2);
    await until('healthy', () => container.isHealthy(), { everyMs: 300 });
    await until('a runner', () => pidOf('runner'), { everyMs: 300 });
    await until('on air', isOnAir, { everyMs: 300 });
    await until('frames', () => frames().catch(() => 0), { everyMs: 500 });
    const log = await container.run('onair', 'logs', 'Show');
    assert.match(log, /has lost the run and begins it anew/u);
    await container.run('onair', 'stop', 'Show');
    const isWhole = ({ status, size_bytes }: RecordingRow): boolean => status === 'finished' && size_bytes > 0;
    const all = await until('the Recording', async () => (await recordings()).every(isWhole) && recordings(), {
      everyMs: 500,
    });
    assert.equal(all.length, 1, 'what both containers recorded');
    assert.equal(await container.stop(GRACE_SECONDS), 0);
  });

  /** A file of the archive. */
  function entryOf(name: string): string {
    return execFileSync('tar', ['-xOf', archive, name], { encoding: 'utf8', maxBuffer: 64 << 20 });
  }
});
