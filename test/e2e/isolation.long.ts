/** A stream that is frozen, starves or will not stop is nobody else's trouble: calls about other streams are answered before it has an end. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { countOf, itLong } from '../helpers/counts.ts';
import { goOnAir, SMALL_VIDEO, statusOf, uploadClip } from '../helpers/broadcast.ts';
import { startService, type Service } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';
import { startTicksOf } from '../../device/process.ts';
import type { RunnerState } from '../../device/run-dir.ts';

const ROUNDS = countOf(21, 60);

interface Times {
  p50: number;
  p99: number;
}

describe('calls about others while one stream is in trouble', () => {
  let service: Service;
  let frozen: number;
  let other: number;
  let spare: number;
  let healthy: Record<string, Times>;
  const stopped = new Set<number>();

  before(async () => {
    service = await startService();
    const filename = await uploadClip(service);
    const channelId = await service.create('/channels', { name: 'Clip', type: 'File', settings: { filename } });
    const encodingId = await service.create('/encodings', { name: 'small', settings_video: SMALL_VIDEO });
    const stream = async (name: string): Promise<number> => {
      const settings = { segment_duration: 2 };
      const publishingId = await service.create('/publishings', { name, type: 'HLS / TS', settings });
      return service.create('/livestreams', { name, channelId, encodingId, publishingId });
    };
    frozen = await stream('Frozen');
    other = await stream('Other');
    spare = await stream('Spare');
    await goOnAir(service, frozen);
    await goOnAir(service, other);
    healthy = await timed();
  });
  after(async () => {
    // A stopped process takes no signal but SIGKILL, which ends it anyway; the others are let go.
    for (const pid of stopped) signal(pid, 'SIGCONT');
    await service?.dispose();
  });

  function signal(pid: number, name: NodeJS.Signals): void {
    try {
      process.kill(pid, name);
    } catch {
      // It has ended.
    }
  }

  /** Runner and children of the stream's present run, as the runner itself wrote them down. */
  function processes(livestreamId: number): { runner: number; children: number[] } {
    const runs = join(service.dataDir, 'device', 'runs');
    for (const runId of readdirSync(runs)) {
      try {
        const state = JSON.parse(readFileSync(join(runs, runId, 'state.json'), 'utf8')) as RunnerState;
        if (state.livestreamId === livestreamId)
          return { runner: state.pid, children: state.children.map(({ pid }) => pid) };
      } catch {
        // Not written yet, or being removed.
      }
    }
    throw new Error(`Live stream ${livestreamId} has no run`);
  }
  function freeze(pids: readonly number[]): void {
    for (const pid of pids) {
      signal(pid, 'SIGSTOP');
      stopped.add(pid);
    }
  }

  /** Each call of the round in turn, so that all see the same moments; milliseconds by call. */
  async function timed(meanwhile: () => void = () => undefined): Promise<Record<string, Times>> {
    const calls: Record<string, () => Promise<{ status: number }>> = {
      status: () => service.rest('GET', `/livestreams/${other}/status`),
      'all statuses': () => service.rest('GET', '/livestreams/status'),
      list: () => service.rest('GET', '/livestreams?includeDestinations=true'),
      devices: () => service.rest('GET', '/devices/livestatus'),
      'start check': () => service.rest('GET', `/livestreams/${spare}/startConfig`),
      start: () => service.rest('POST', `/livestreams/${spare}/start`, {}),
      stop: () => service.rest('POST', `/livestreams/${spare}/stop`, {}),
    };
    const times = new Map<string, number[]>(Object.keys(calls).map((name) => [name, []]));
    for (let round = 0; round < ROUNDS; round += 1) {
      meanwhile();
      for (const [name, call] of Object.entries(calls)) {
        // A start and a stop of their own, every twentieth round: they are ordered, carried out and seen to the end.
        if ((name === 'start' || name === 'stop') && round % 20 !== 10) continue;
        const at = performance.now();
        const { status } = await call();
        times.get(name)!.push(performance.now() - at);
        assert.ok(status < 300, `${name} answered ${status}`);
        if (name === 'stop') await until('stopped', async () => (await statusOf(service, spare)).status === 0);
      }
    }
    return Object.fromEntries(
      [...times].map(([name, taken]) => {
        const sorted = taken.sort((a, b) => a - b);
        const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
        return [name, { p50: at(0.5), p99: at(0.99) }];
      }),
    );
  }

  function tell(t: TestContext, now: Record<string, Times>): void {
    for (const [name, { p50, p99 }] of Object.entries(now)) {
      const before = healthy[name]!;
      t.diagnostic(
        `${name}: p50 ${p50.toFixed(1)} ms (${before.p50.toFixed(1)} before), p99 ${p99.toFixed(1)} ms (${before.p99.toFixed(1)})`,
      );
    }
  }

  it('calls about other streams are answered while the encoder of one stands still', async (t) => {
    tell(t, await timed(() => freeze(processes(frozen).children)));
    assert.equal((await statusOf(service, other)).status, 2);
  });

  itLong(
    'calls about other streams are answered before a call that waits for a runner which does not answer',
    async (t) => {
      // Whatever is put in its place freezes as well.
      const order: string[] = [];
      freeze([processes(frozen).runner]);
      const path = `/livestreams/${frozen}/runtimeOptions/blackout`;
      const held = service.rest('POST', path, { mode: 'Black Frame' }).then(() => order.push('of the frozen'));
      for (const path_ of [`/livestreams/${other}/status`, '/livestreams/status', '/devices/livestatus'])
        order.push(String((await service.rest('GET', path_)).status));
      await held;
      assert.deepEqual(order, ['200', '200', '200', 'of the frozen']);
      tell(t, await timed(() => freeze([processes(frozen).runner])));
      assert.equal((await statusOf(service, other)).status, 2);
    },
  );

  it('calls about other streams are answered while a stop waits for processes that do not listen, and that stop ends, too', async (t) => {
    const { runner, children } = processes(frozen);
    freeze([...children, runner]);
    const at = performance.now();
    const { status } = await service.rest('POST', `/livestreams/${frozen}/stop`, {});
    assert.equal(status, 200);
    for (const path of [`/livestreams/${other}/status`, '/livestreams/status', '/devices/livestatus'])
      assert.equal((await service.rest('GET', path)).status, 200);
    assert.notEqual(startTicksOf(runner), undefined, 'all of these were answered before the stop had its end');
    const calls = timed();
    await until('status 0', async () => (await statusOf(service, frozen)).status === 0);
    t.diagnostic(`stopped after ${Math.round(performance.now() - at)} ms`);
    tell(t, await calls);
    for (const pid of [runner, ...children]) assert.equal(startTicksOf(pid), undefined, `process ${pid} still runs`);
    assert.equal((await statusOf(service, other)).status, 2);
  });

  itLong('a call puts another stream on air while one is frozen', async () => {
    await goOnAir(service, frozen);
    freeze([processes(frozen).runner]);
    await goOnAir(service, spare);
    assert.equal((await statusOf(service, spare)).status, 2);
  });
});
