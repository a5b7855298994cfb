/** A broadcast with a backup path moves between two Devices: no picture is missing to whoever takes what one of two servers has. */
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { goOnAir, smallBroadcast, type SmallBroadcast } from '../helpers/broadcast.ts';
import { HEIGHT, makeCountedClip, readNumber, WIDTH } from '../helpers/counted.ts';
import { countOf } from '../helpers/counts.ts';
import { startRemoteDevice, type RemoteDevice } from '../helpers/remote-device.ts';
import { startService, type Service } from '../helpers/service.ts';
import { startRtmp, type RtmpServer } from '../helpers/servers/rtmp.ts';
import { until } from '../helpers/until.ts';

const KEY = 'derby';
/** The source begins anew after 30 s, which no receiver is ever behind another. */
const LOOP = 900;

/** A viewer of one server; each picture of the source has its number, counted on over the end of the clip. */
class Viewer {
  readonly numbers: number[] = [];
  private readonly child: ChildProcess;
  private rest = Buffer.alloc(0);

  constructor(url: string, last: { number: number }) {
    const grey = `scale=${WIDTH}:${HEIGHT},format=gray`;
    const words = ['-v', 'error', '-i', url, '-map', '0:v', '-vsync', 'passthrough', '-vf', grey];
    this.child = spawn('ffmpeg', [...words, '-f', 'rawvideo', 'pipe:1'], { stdio: ['ignore', 'pipe', 'ignore'] });
    this.child.stdout!.on('data', (chunk: Buffer) => {
      this.rest = Buffer.concat([this.rest, chunk]);
      for (; this.rest.length >= WIDTH * HEIGHT; this.rest = this.rest.subarray(WIDTH * HEIGHT)) {
        const n = readNumber(this.rest.subarray(0, WIDTH * HEIGHT));
        if (n === undefined) continue;
        const ahead = (n - last.number) % LOOP;
        const step = ahead > LOOP / 2 ? ahead - LOOP : ahead < -LOOP / 2 ? ahead + LOOP : ahead;
        this.numbers.push(last.number + step);
        last.number = Math.max(last.number, last.number + step);
      }
    });
  }

  get isThere(): boolean {
    return this.child.exitCode === null;
  }

  end(): void {
    this.child.kill('SIGKILL');
  }
}

const missingIn = (numbers: readonly number[], from: number, to: number): number => {
  const seen = new Set(numbers);
  let missing = 0;
  for (let n = from; n <= to; n += 1) if (!seen.has(n)) missing += 1;
  return missing;
};

let service: Service;
let servers: RtmpServer[];
let remotes: RemoteDevice[];
let source: ChildProcess;
let show: SmallBroadcast;
let viewers: Viewer[] = [];

before(async () => {
  [service, ...servers] = await Promise.all([startService(), startRtmp(), startRtmp()]);
  remotes = await Promise.all([startRemoteDevice(), startRemoteDevice()]);
  const ids: number[] = [];
  for (const [number, remote] of remotes.entries()) {
    const device = { name: `enc${number + 1}`, ip_address: remote.address, ...remote.credentials() };
    ids.push(await service.create('/devices', device));
  }
  await until('two Devices', async () => {
    const { body } = await service.rest('GET', '/devices?fields=*');
    const rows = body.rows as { id: number; online: boolean; capabilities: unknown }[];
    return rows.filter(({ id, online, capabilities }) => ids.includes(id) && online && capabilities).length === 2;
  });
  const [primary, backup] = servers as [RtmpServer, RtmpServer];
  for (const server of servers) server.keys.add(KEY);
  const clip = makeCountedClip(join(service.scratch, 'counted.mp4'), LOOP);
  const camera = `${primary.url}/camera`;
  const copied = ['-re', '-stream_loop', '-1', '-i', clip, '-map', '0:v', '-c', 'copy', '-f', 'flv', camera];
  source = spawn('ffmpeg', ['-nostdin', '-v', 'error', ...copied], { stdio: 'ignore' });
  await until('the source', async () => (await primary.publishing()).includes('camera'));
  const settings = { url: primary.keyedUrl, backup_url: backup.keyedUrl, stream_key: KEY };
  const platform = { name: 'platform', type: 'RTMP', settings, primary_enabled: true, backup_enabled: true };
  show = await smallBroadcast(service, [platform], { type: 'Stream', settings: { url: camera } });
  const group = await service.create('/devices/groups', { name: 'Pool', devices: ids });
  await service.rest('PUT', `/livestreams/${show.livestreamId}`, { idEncoderGroup: group });
  await goOnAir(service, show.livestreamId);
  await until('both are published', async () => {
    const published = await Promise.all(servers.map((server) => server.publishing()));
    return published.every((names) => names.includes(KEY));
  });
});
after(async () => {
  for (const viewer of viewers) viewer.end();
  source?.kill('SIGKILL');
  await service?.dispose();
  await Promise.all([...(servers ?? []), ...(remotes ?? [])].map((each) => each.dispose()));
});

it('no picture is missing at both servers while a broadcast moves, and neither ever has two that publish', async (t) => {
  const last = { number: 0 };
  viewers = servers.map((server) => new Viewer(`${server.keyedUrl}/${KEY}`, last));
  await until('both have pictures', () => viewers.every(({ numbers }) => numbers.length > 30));
  const from = Math.max(...viewers.map(({ numbers }) => numbers[0]!)) + 30;
  for (let round = 0; round < countOf(1, 5); round += 1) {
    const { status, body } = await service.rest('POST', `/livestreams/${show.livestreamId}/move`, {});
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(body.data.gap_ms, 0);
    const moved = last.number;
    await until('both go on', () => viewers.every(({ numbers }) => (numbers.at(-1) ?? 0) > moved + 60));
    await until('one of both Devices has it', async () => {
      const { body: row } = await service.rest('GET', `/livestreams/${show.livestreamId}/status`);
      return row.data.deviceId === body.data.deviceId;
    });
  }
  const to = Math.min(...viewers.map(({ numbers }) => Math.max(...numbers)));
  const each = viewers.map(({ numbers }) => missingIn(numbers, from, to));
  const both = missingIn(
    viewers.flatMap(({ numbers }) => numbers),
    from,
    to,
  );
  t.diagnostic(
    `${to - from + 1} pictures; missing: ${each[0]} at the primary, ${each[1]} at the backup, ${both} at both`,
  );
  assert.equal(both, 0);
  assert.ok(viewers.every(({ isThere }) => isThere));
  for (const server of servers) assert.equal(server.mostAtOnce(KEY), 1);
});
