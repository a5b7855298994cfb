/** A stream that is frozen, starves or will not stop is nobody else's trouble: calls about other streams are answered meanwhile. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { goOnAir, SMALL_VIDEO, statusOf, uploadClip } from '../helpers/broadcast.ts';
import { startService, type Service } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';
import { startTicksOf } from '../../device/process.ts';
import type { RunnerState } from '../../device/run-dir.ts';

const ROUNDS = 21;

describe('calls about others while one stream is in trouble', () => {
  let service: Service;
  let frozen: number;
  let other: number;
  let spare: number;
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

  /** Answers how many were answered. */
  async function calls(meanwhile: () => void = () => undefined): Promise<number> {
    const round: [string, string][] = [
      ['GET', `/livestreams/${other}/status`],
      ['GET', '/livestreams/status'],
      ['GET', '/livestreams?includeDestinations=true'],
      ['GET', '/devices/livestatus'],
      ['GET', `/livestreams/${spare}/startConfig`],
    ];
    const whole: [string, string][] = [
      ...round,
      ['POST', `/livestreams/${spare}/start`],
      ['POST', `/livestreams/${spare}/stop`],
    ];
    let answered = 0;
    for (let number = 0; number < ROUNDS; number += 1) {
      meanwhile();
      for (const [method, path] of number === ROUNDS >> 1 ? whole : round) {
        const { status } = await service.rest(method, path, method === 'POST' ? {} : undefined);
        assert.ok(status < 300, `${path} answered ${status}`);
        answered += 1;
      }
    }
    await until('stopped', async () => (await statusOf(service, spare)).status === 0);
    return answered;
  }
  const ALL = ROUNDS * 5 + 2;

  it('calls about other streams are answered when the encoder of one stands still', async () => {
    assert.equal(await calls(() => freeze(processes(frozen).children)), ALL);
    assert.equal((await statusOf(service, other)).status, 2);
  });

  it('calls about other streams are answered when the runner of one does not answer', async () => {
    // Whatever is put in its place freezes as well.
    assert.equal(await calls(() => freeze([processes(frozen).runner])), ALL);
    assert.equal((await statusOf(service, other)).status, 2);
  });

  it('calls about other streams are answered while a stop waits for processes that do not listen, and that stop ends, too', async () => {
    const { runner, children } = processes(frozen);
    freeze([...children, runner]);
    const { status } = await service.rest('POST', `/livestreams/${frozen}/stop`, {});
    assert.equal(status, 200);
    const meanwhile = calls();
    await until('status 0', async () => (await statusOf(service, frozen)).status === 0);
    assert.equal(await meanwhile, ALL);
    for (const pid of [runner, ...children]) assert.equal(startTicksOf(pid), undefined, `process ${pid} still runs`);
    assert.equal((await statusOf(service, other)).status, 2);
  });

  it('a call puts another stream on air while one is frozen', async () => {
    await goOnAir(service, frozen);
    freeze([processes(frozen).runner]);
    await goOnAir(service, spare);
    assert.equal((await statusOf(service, spare)).status, 2);
  });
});
