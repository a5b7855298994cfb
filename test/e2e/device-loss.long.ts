/** Two Devices and an RTMP server: the Device of a broadcast that moves dies or hangs, and the server never has two that publish. */
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { runFiles } from '../../device/run-dir.ts';
import { callSocket } from '../../device/socket-http.ts';
import type { RunReport } from '../../domain/shapes/broadcasts/run.ts';
import { smallBroadcast, goOnAir, statusOf, type SmallBroadcast } from '../helpers/broadcast.ts';
import { countOf } from '../helpers/counts.ts';
import { startRemoteDevice, type RemoteDevice } from '../helpers/remote-device.ts';
import { processesOf, startService, type Service } from '../helpers/service.ts';
import { startRtmp, type RtmpServer } from '../helpers/servers/rtmp.ts';
import { until } from '../helpers/until.ts';

const KEY = 'derby';

/** The run, with what becomes of the path to the RTMP server. */
function fencedRun({ runId, publishings }: RunReport): string {
  return `${runId} ${publishings.find(({ type }) => type === 'RTMP')?.primary.state}`;
}

describe('the loss of a Device', () => {
  let service: Service;
  let sink: RtmpServer;
  let remotes: RemoteDevice[];
  let show: SmallBroadcast;
  let player: ChildProcess;
  const ids: number[] = [];
  const seen = { last: 0, longest: 0 };

  before(async () => {
    [service, sink, ...remotes] = await Promise.all([
      startService(),
      startRtmp(),
      startRemoteDevice(),
      startRemoteDevice(),
    ]);
    sink.keys.add(KEY);
    for (const [number, remote] of remotes.entries())
      ids.push(
        await service.create('/devices', {
          name: `enc${number + 1}`,
          ip_address: remote.address,
          ...remote.credentials(),
        }),
      );
    await bothOnline();
    const settings = { url: sink.keyedUrl, stream_key: KEY };
    show = await smallBroadcast(service, [{ name: 'platform', type: 'RTMP', settings }]);
    const group = await service.create('/devices/groups', { name: 'Pool', devices: ids });
    const { status } = await service.rest('PUT', `/livestreams/${show.livestreamId}`, {
      idEncoderGroup: group,
      onDeviceLoss: 'move',
    });
    assert.equal(status, 200);
    await goOnAir(service, show.livestreamId);
    await until('it is published', async () => (await sink.publishing()).includes(KEY));
    watch();
  });
  after(async () => {
    player?.kill('SIGKILL');
    await service?.dispose();
    await Promise.all([sink?.dispose(), ...(remotes ?? []).map((remote) => remote.dispose())]);
  });

  /** A viewer of the RTMP server, who comes back when a publisher has gone. */
  function watch(): void {
    const words = ['-v', 'error', '-i', `${sink.keyedUrl}/${KEY}`, '-c', 'copy', '-map', '0:v', '-f', 'flv', 'pipe:1'];
    player = spawn('ffmpeg', words, { stdio: ['ignore', 'pipe', 'ignore'] });
    player.stdout?.on('data', () => {
      const now = performance.now();
      if (seen.last > 0) seen.longest = Math.max(seen.longest, now - seen.last);
      seen.last = now;
    });
  }

  const bothOnline = () =>
    until('two Devices', async () => {
      const { body } = await service.rest('GET', '/devices?fields=*');
      const rows = body.rows as { id: number; online: boolean; capabilities: unknown }[];
      return rows.filter(({ id, online, capabilities }) => ids.includes(id) && online && capabilities).length === 2;
    });
  const deviceOf = async (): Promise<number> =>
    ((await service.rest('GET', `/livestreams/${show.livestreamId}/status`)).body.data as { deviceId: number })
      .deviceId;
  /** As the runs themselves say it: one runner may carry out several, and one in waiting takes the place of another that has died. */
  async function runsOf({ dir }: RemoteDevice): Promise<RunReport[]> {
    const deviceDir = join(dir, 'device');
    const ids = await readdir(join(deviceDir, 'runs')).catch(() => []);
    const reports = ids.map(async (runId) => {
      const { socket } = runFiles(deviceDir, runId);
      const call = { socket, method: 'GET', path: '/report', timeoutMs: 2000 } as const;
      const reply = await callSocket(call).catch(() => undefined);
      const report = reply?.status === 200 ? (reply.body as RunReport) : undefined;
      return report?.phase === 'starting' || report?.phase === 'running' ? [report] : [];
    });
    return (await Promise.all(reports)).flat();
  }
  const present = async (): Promise<RemoteDevice> => remotes[ids.indexOf(await deviceOf())]!;
  const moves = async (): Promise<{ message: string; data: { gap_ms: number; from: number; to: number } }[]> =>
    (await service.rest('GET', `/livestreams/${show.livestreamId}/events?kind=run_moved&pageSize=50`)).body
      .rows as never;

  async function goesOn(former: RemoteDevice, count: number): Promise<string> {
    await until('it goes on elsewhere', async () => (await moves()).length === count && (await present()) !== former);
    const movedAt = performance.now();
    await until('a picture of the other Device', () => seen.last > movedAt);
    assert.equal((await statusOf(service, show.livestreamId)).status, 2);
    assert.equal(sink.mostAtOnce(KEY), 1, 'never two');
    const gap = `${Math.round(seen.longest)} ms seen, ${(await moves())[0]?.data.gap_ms} ms said`;
    seen.longest = 0;
    return gap;
  }

  async function oneRun(): Promise<void> {
    await until('one run, of the Device that has it', async () => {
      const own = await present();
      const counts = await Promise.all(remotes.map(async (remote) => (await runsOf(remote)).length));
      return remotes.every((remote, at) => counts[at] === (remote === own ? 1 : 0));
    });
    assert.equal(sink.mostAtOnce(KEY), 1, 'never two');
  }

  /** The runs that it had when it died end there without having begun again. */
  async function nothingOfBefore(remote: RemoteDevice): Promise<void> {
    await until(
      'the runs of before are over',
      async () => (await readdir(join(remote.dir, 'device', 'runs'))).length === 0,
    );
    assert.doesNotMatch(remote.output(), /it is started again/u);
  }

  it('a Device of which every process is killed is followed by the other one', async (t) => {
    const gaps: string[] = [];
    for (let round = 0; round < countOf(1, 4); round += 1) {
      const former = await present();
      const count = (await moves()).length;
      for (const { pid } of processesOf(former.dir)) process.kill(pid, 'SIGKILL');
      gaps.push(await goesOn(former, count + 1));
      await former.restart();
      await bothOnline();
      await oneRun();
      await nothingOfBefore(former);
    }
    t.diagnostic(`without a picture: ${gaps.join('; ')}`);
  });

  it('a Device whose agent hangs silences itself before the other one begins, and has no run when it is back', async (t) => {
    const former = await present();
    const count = (await moves()).length;
    const [before] = await runsOf(former);
    process.kill(former.pid, 'SIGSTOP');
    const gap = await goesOn(former, count + 1);
    const silent = await runsOf(former);
    assert.deepEqual(silent.map(fencedRun), [`${before?.runId} fenced`], 'its encoder went on, and delivered nothing');
    process.kill(former.pid, 'SIGCONT');
    await bothOnline();
    await oneRun();
    t.diagnostic(`without a picture: ${gap}`);
  });

  it('a server that is away for longer than the lease finds the broadcast silent, and on air again at the same Device', async () => {
    const former = await present();
    const count = (await moves()).length;
    await service.kill('SIGKILL');
    await until('nothing is published', async () => !(await sink.publishing()).includes(KEY));
    const [silent] = await until('its encoder goes on', async () => {
      const runs = await runsOf(former);
      return runs.length === 1 && fencedRun(runs[0]!).endsWith(' fenced') ? runs : undefined;
    });
    await until('pictures are made', async () => {
      const [run] = await runsOf(former);
      return run?.runId === silent?.runId && run!.encodings.every(({ fps }) => fps > 0);
    });
    await service.restart();
    await until('it is published', async () => (await sink.publishing()).includes(KEY));
    assert.equal(await present(), former);
    assert.equal((await moves()).length, count);
    await oneRun();
  });
});
