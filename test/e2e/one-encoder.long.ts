/** One encoder at a receiver: beside copies of its Device, and after a Device that was lost and is back. An RTMP server and a receiver of datagrams count. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { cpSync, existsSync, lstatSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { statusOf, uploadFile } from '../helpers/broadcast.ts';
import { cleanUp } from '../helpers/clean-up.ts';
import { joinDevice, type JoinedDevice, type Member } from '../helpers/fleet.ts';
import { openLine, type Line } from '../helpers/line.ts';
import { freePort } from '../helpers/ports.ts';
import { Senders } from '../helpers/senders.ts';
import { startRtmp, type RtmpServer } from '../helpers/servers/rtmp.ts';
import { endAll, killAll, makeClip, pidsOf, PROGRAM, startService, type Service } from '../helpers/service.ts';
import { testFolder } from '../helpers/test-folder.ts';
import { until } from '../helpers/until.ts';

const KEY = 'counted-key';
const VIDEO = { codec: 'h264', height: 90, bitrate: 100, fps: 10, preset: 'ultrafast', h264: { keyframe_interval: 1 } };
const RETRY = { max_attempts: 500, initial_delay_ms: 200, max_delay_ms: 500 };

describe('receivers that count their encoders', () => {
  const tasks: (() => unknown)[] = [];
  let service: Service;
  let line: Line;
  let van: JoinedDevice;
  let truck: JoinedDevice;
  let rtmp: RtmpServer;
  let senders: Senders;
  let livestreamId: number;

  before(async () => {
    const owner = { after: (task: () => unknown): void => void tasks.push(task) };
    rtmp = await startRtmp();
    tasks.push(() => rtmp.dispose());
    rtmp.keys.add(KEY);
    senders = await Senders.open(owner);
    const devicePort = await freePort();
    service = await startService({ ONAIR_DEVICE_PORT: String(devicePort) });
    tasks.push(() => service.dispose());
    line = await openLine(devicePort);
    tasks.push(() => line.close());
    const members: Member[] = [{ service, devicePort }];
    van = await joinDevice(owner, members, 'van', [line.port]);
    truck = await joinDevice(owner, members, 'truck');
    const filename = await uploadFile(service, makeClip(join(service.scratch, 'clip.mp4'), 4, '160x90'));
    const channelId = await service.create('/channels', { name: 'Clip', type: 'File', settings: { filename } });
    const encodingId = await service.create('/encodings', { name: 'tiny', settings_video: VIDEO });
    const platform = { url: rtmp.keyedUrl, stream_key: KEY };
    const elements = [
      await service.create('/publishings', { name: 'platform', type: 'RTMP', settings: platform, retry: RETRY }),
      await service.create('/publishings', { name: 'receiver', type: 'STREAM', settings: { url: senders.url } }),
    ];
    const publishingGroupId = await service.create('/publishings/groups', { name: 'both', elements });
    livestreamId = await service.create('/livestreams', { name: 'Show', channelId, encodingId, publishingGroupId });
  });
  after(async () => {
    for (const task of tasks.reverse()) await task();
  });

  const encoders = ({ dir }: { dir: string }): number[] => pidsOf(dir, /onair\S* runner|^\S*ffmpeg.* -i pipe:3 /u);
  const start = async (on: JoinedDevice): Promise<void> => {
    const reply = await service.rest('POST', `/livestreams/${livestreamId}/start`, { deviceId: on.id });
    assert.equal(reply.status, 202, JSON.stringify(reply.body));
  };
  const isDelivered = async (): Promise<boolean> => (await rtmp.publishing()).includes(KEY);
  const onAir = async (): Promise<void> => {
    await until('on air', async () => (await statusOf(service, livestreamId)).status === 2);
    await until('delivered', isDelivered);
    await senders.more(50);
  };
  const lost = (): Promise<unknown> =>
    until('lost', async () => {
      const { body } = await service.rest('GET', `/livestreams/${livestreamId}/status`);
      return body.data.device_lost_since !== null && body.data.on_air === false;
    });
  const hasEvent = async (pattern: RegExp): Promise<boolean> => {
    const { body } = await service.rest('GET', `/livestreams/${livestreamId}/events?pageSize=200`);
    return (body.rows as { message: string }[]).some(({ message }) => pattern.test(message));
  };
  const endedThere = (): Promise<unknown> =>
    until('the run that was given up has ended', () => hasEvent(/the run that was given up has ended there/u));
  const assertOne = (): void => assert.deepEqual([rtmp.mostAtOnce(KEY), senders.mixed], [1, 0]);

  /** An agent on a copy of the Device's folder; `isDisk` makes it as a copied disk has it after its boot: the inodes are the same. */
  function copied(t: TestContext, isDisk: boolean): { dir: string; output: () => string } {
    const dir = testFolder(t, 'copy');
    cleanUp(t, () => endAll(dir));
    const filter = (path: string): boolean => !lstatSync(path).isSocket() && !path.endsWith('.lock');
    cpSync(join(van.dir, 'device'), join(dir, 'device'), { recursive: true, filter });
    if (isDisk) boot(join(dir, 'device'), { folder: statSync(join(dir, 'device')).ino });
    const env: NodeJS.ProcessEnv = { ...process.env, ONAIR_DATA: dir, XDG_CONFIG_HOME: dir };
    delete env['NODE_OPTIONS'];
    const words = [PROGRAM, 'device', '--join', `127.0.0.1:${line.port}`, '--media-port', '0'];
    const child = spawn(process.execPath, words, { env, stdio: ['ignore', 'ignore', 'pipe'] });
    let output = '';
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    return { dir, output: () => output };
  }

  it('a copy of its folder and a copied disk that is booted are refused while the Device is on air, and deliver nothing', async (t) => {
    await start(van);
    await onAir();
    for (const isDisk of [false, true]) {
      const copy = copied(t, isDisk);
      await until('it is refused', () => /has the key of Device \d+ .* and was refused/u.test(copy.output()));
      await senders.more(100);
      assert.deepEqual(encoders(copy), []);
    }
    assertOne();
  });

  it('a Device that dies is succeeded by hand, and delivers nothing when it is booted again', async (t) => {
    await goneAndBack(t, () => boot(join(van.dir, 'device')));
  });

  it('nor does one whose container ends and begins again', async (t) => {
    await service.rest('POST', `/livestreams/${livestreamId}/stop`, {});
    await until('stopped', async () => (await statusOf(service, livestreamId)).status === 0);
    await start(van);
    await onAir();
    await goneAndBack(t, () => undefined);
  });

  async function goneAndBack(t: TestContext, prepare: () => void): Promise<void> {
    const diedAt = performance.now();
    killAll(van.dir);
    await lost();
    await start(truck);
    await onAir();
    t.diagnostic(`on air elsewhere ${((performance.now() - diedAt) / 1000).toFixed(1)} s after its death`);
    prepare();
    van.start();
    await endedThere();
    await senders.more(100);
    assert.deepEqual(encoders(van), []);
    assertOne();
  }

  it('a Device whose line is cut delivers until its servers reach it, and not any more then', async (t) => {
    await service.rest('POST', `/livestreams/${livestreamId}/stop`, {});
    await until('stopped', async () => (await statusOf(service, livestreamId)).status === 0);
    await start(van);
    await onAir();
    line.stall();
    await lost();
    await start(truck);
    await until('on air', async () => (await statusOf(service, livestreamId)).status === 2);
    // Nobody can reach it: that is what a person risks who starts a lost one elsewhere.
    await until('both deliver', () => senders.mixed > 0);
    const backAt = performance.now();
    line.mend();
    await until('no encoder', () => encoders(van).length === 0);
    t.diagnostic(`ended ${((performance.now() - backAt) / 1000).toFixed(1)} s after its line was back`);
    await endedThere();
    await until('delivered', isDelivered);
    const { mixed } = senders;
    await senders.more(100);
    assert.equal(senders.mixed, mixed);
  });
});

/** The machine is booted before the next agent starts: what the folder says of processes is of another boot. */
function boot(deviceDir: string, more: object = {}): void {
  const runs = readdirSync(join(deviceDir, 'runs')).flatMap((run) =>
    ['state.json', 'spawned.json'].map((file) => join(deviceDir, 'runs', run, file)),
  );
  for (const [at, file] of [join(deviceDir, 'agent.json'), ...runs].entries()) {
    if (!existsSync(file)) continue;
    const former = JSON.parse(readFileSync(file, 'utf8')) as object;
    writeFileSync(file, JSON.stringify({ ...former, bootId: 'the boot before', ...(at === 0 && more) }));
  }
}
