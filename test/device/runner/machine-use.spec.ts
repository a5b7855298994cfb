/** A run's use of its machine: CPU time measured, a broadcast that falls behind, a disk that is never filled. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { EventLog } from '../../../device/runner/process/event-log.ts';
import { Decoding } from '../../../device/runner/decoding.ts';
import { Lag, remedyOf } from '../../../device/runner/encoder/lag.ts';
import { coresHere, MachineLoadMeter } from '../../../linux/machine-load.ts';
import { CpuMeter, parseCpuTicks } from '../../../device/runner/cpu-meter.ts';
import type { AttemptHooks } from '../../../device/runner/outputs/attempt.ts';
import { DestinationPath } from '../../../device/runner/outputs/destination-path.ts';
import { reserveOf } from '../../../device/disk-reserve.ts';
import { DiskGuard } from '../../../device/runner/disk-guard.ts';
import { FakeClock } from '../../helpers/fake-clock.ts';
import { folder } from './runner-fixture.ts';
import { until } from '../../helpers/until.ts';
import { cleanUp, type TestScope } from '../../helpers/clean-up.ts';

describe('CPU time', () => {
  it('CPU time is read whatever the program is called', () => {
    const fields = 'S 1 1 1 0 -1 0 0 0 0 0 120 30 4 6 20 0 1 0 999';
    assert.equal(parseCpuTicks(`77 (a) b (c) ${fields}`), 150);
  });

  it('CPU time is a mean of ten seconds, and a child that ends takes nothing away', () => {
    const CHILD = 4711;
    const ticks = new Map([
      [process.pid, 5000],
      [CHILD, 0],
    ]);
    const meter = new CpuMeter(
      () => 1,
      (pid) => ticks.get(pid),
    );
    const seconds = (from: number, to: number, perSecond: number): void => {
      for (let at = from; at < to; at += 2) {
        meter.sample(at * 1000, [CHILD]);
        for (const [pid, so] of ticks) ticks.set(pid, so + perSecond);
      }
    };
    seconds(0, 10, 50);
    assert.equal(meter.cores, undefined, 'too early to say');
    seconds(10, 20, 50);
    assert.equal(meter.cores, 0.5);
    ticks.delete(CHILD);
    seconds(20, 40, 150);
    assert.ok(Math.abs(meter.cores! - 0.75) < 0.01, String(meter.cores));
  });

  it('a run that shares its process has its part of it, and all of its children', () => {
    const CHILD = 4711;
    const ticks = new Map([
      [process.pid, 90_000],
      [CHILD, 0],
    ]);
    const meter = new CpuMeter(
      () => 10,
      (pid) => ticks.get(pid),
    );
    for (let at = 0; at <= 20; at += 2) {
      meter.sample(at * 1000, [CHILD]);
      ticks.set(process.pid, ticks.get(process.pid)! + 200);
      ticks.set(CHILD, ticks.get(CHILD)! + 20);
    }
    assert.equal(meter.cores, 0.2);
  });

  it('CPU time of this process and its children is what the kernel counts', async (t) => {
    const busy = spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' });
    cleanUp(t, () => busy.kill('SIGKILL'));
    const begun = process.cpuUsage();
    const meter = new CpuMeter();
    meter.sample(0, [busy.pid!]);
    await until('half a second of the child', () => {
      const stat = execFileSync('cat', [`/proc/${busy.pid}/stat`], { encoding: 'utf8' });
      return parseCpuTicks(stat) >= 50;
    });
    // As if ten seconds had passed.
    meter.sample(10_000, [busy.pid!]);
    const { user, system } = process.cpuUsage(begun);
    const least = 0.4 / 10;
    const most = (0.5 + (user + system) / 1e6 + 3) / 10;
    assert.ok(meter.cores! >= least && meter.cores! <= most, `${meter.cores} cores, not ${least} to ${most}`);
  });
});

describe('a broadcast that falls behind', () => {
  const RATE = 30;
  function logOf(t: TestScope): () => EventLog {
    const file = join(folder(t), 'events.jsonl');
    return () => new EventLog(file, { runId: 'r', livestreamId: 1 }, new FakeClock(), (text) => text);
  }

  function setUp(t: TestScope, rate = RATE) {
    const openLog = logOf(t);
    let [nowMs, pictures] = [0, 0];
    let events = openLog();
    let lag = new Lag(rate, events);
    return {
      /** So many seconds at so many pictures a second each. */
      seconds(count: number, ...fps: number[]): [string, unknown][] {
        for (let at = 0; at < count; at += 1) {
          pictures += fps[at % fps.length]!;
          lag.look({ pictures, dropped: nowMs / 1000, load: undefined, nowMs: (nowMs += 1000) });
        }
        return lag.conditions.map(({ kind, fps: now, wanted_fps: of }) => [kind, `${now} of ${of}`]);
      },
      pause: (ms: number) => void (nowMs += ms),
      restart(): void {
        events = openLog();
        lag = new Lag(rate, events);
      },
      logged: () => {
        return openLog().earlier.map(({ kind, data }) => [kind, data['fps'] ?? data['seconds']]);
      },
    };
  }

  it('a broadcast that falls behind for five seconds is told once, with its pictures a second, and when it is over', (t) => {
    const { seconds, logged, restart } = setUp(t);
    seconds(10, RATE);
    seconds(4, 14);
    assert.deepEqual(logged(), [], 'not yet');
    assert.deepEqual(seconds(20, 14), [['behind', '14 of 30']]);
    assert.deepEqual(seconds(10, 29, 27), [['behind', '28 of 30']], 'at the edge it is not over');
    assert.deepEqual(logged(), [['behind', 14]]);
    restart();
    assert.deepEqual(seconds(2, 20), [['behind', '14 of 30']], 'a runner that is restarted knows of it');
    assert.deepEqual(seconds(10, RATE), []);
    assert.equal(logged()[1]?.[0], 'behind_ended');
    seconds(20, RATE);
    assert.equal(logged().length, 2);
  });

  it('a pause, an encoder that is replaced, a machine that stood still and a low rate do not fall behind', (t) => {
    const short = setUp(t);
    for (const gap of [[15], [0, 0, 12, 40], [29], [0, 0, 0]]) {
      short.seconds(10, RATE);
      short.seconds(gap.length, ...gap);
    }
    short.seconds(10, RATE);
    short.pause(60_000);
    short.seconds(10, RATE);
    assert.deepEqual(short.logged(), []);
    const slow = setUp(t, 2);
    slow.seconds(40, 2, 2, 1, 3);
    assert.deepEqual(slow.logged(), []);
    assert.deepEqual(slow.seconds(30, 1), [['behind', '1 of 2']]);
  });

  it('who falls behind hears what helps, by who has the processors', () => {
    const texts = ['cpu  0 0 0 0 0 0 0 0 0 0', 'cpu  50 0 10 10 0 0 0 30 0 0', 'cpu  50 0 10 110 0 0 0 30 0 0', 'x'];
    let looks = 0;
    const meter = new MachineLoadMeter(2, (path) => (path === '/proc/stat' ? texts[looks++]! : ''));
    const remedies = texts.map((_, at) => {
      // Two runs of one process share a look.
      meter.look(at * 2000);
      meter.look(at * 2000 + 1000);
      return remedyOf(meter.load);
    });
    const words = [/is full: stop or move/u, /host .+ takes 30 %/u, /has processors free/u, /is full/u];
    for (const [at, word] of words.entries()) assert.match(remedies[at]!, word);
    assert.match(remedyOf({ idle: 0.6, steal: 0 }, true), /^Its source takes too much to decode/u);
  });

  it('a source that is decoded too slowly falls behind, and one that sends less does not', (t) => {
    const events = logOf(t);
    const lag = new Lag(RATE, events());
    let [decodedPictures, encoded, nowMs] = [0, 0, 0];
    let wantedNs = 0;
    const decoding = new Decoding(() => wantedNs);
    const seconds = (count: number, fps: number, cores: number): unknown[] => {
      for (let at = 0; at < count; at += 1) {
        [decodedPictures, encoded, nowMs] = [decodedPictures + fps, encoded + RATE, nowMs + 1000];
        wantedNs += cores * 1e9;
        const decoded = decoding.look({ seconds: decodedPictures / 50, wanted: 50 }, 1, nowMs);
        lag.look({ pictures: encoded, dropped: 0, decoded, load: undefined, nowMs });
      }
      return lag.conditions.map(({ fps: now, wanted_fps: of }) => `${now} of ${of}`);
    };
    assert.deepEqual(seconds(10, 50, 1.5), []);
    assert.deepEqual(seconds(20, 20, 0.4), [], 'its network gives no more');
    assert.deepEqual(seconds(10, 20, 1.5), ['20 of 50']);
    assert.deepEqual(seconds(10, 50, 1.5), []);
    assert.deepEqual(
      events().earlier.map(({ kind }) => kind),
      ['behind', 'behind_ended'],
    );
  });

  it('the cores here are those of the tightest control group around this process, of either version, and of the affinity', () => {
    const of = (files: Record<string, string>, processors = 8): number =>
      coresHere(processors, (path) => {
        const text = files[path];
        if (text === undefined) throw new Error('ENOENT');
        return text;
      });
    const two = { '/proc/self/cgroup': '0::/system.slice/onair.service\n' };
    const one = { '/proc/self/cgroup': '3:cpuset:/\n2:cpu,cpuacct:/box/inner\n0::/\n' };
    const root = '/sys/fs/cgroup';
    assert.equal(of({}), 8);
    assert.equal(of(two, 3), 3);
    assert.equal(of({ ...two, [`${root}/system.slice/onair.service/cpu.max`]: 'max 100000\n' }), 8);
    const slice = { [`${root}/system.slice/cpu.max`]: '150000 100000\n' };
    assert.equal(of({ ...two, ...slice, [`${root}/system.slice/onair.service/cpu.max`]: '400000 100000\n' }), 1.5);
    assert.equal(of({ ...two, [`${root}/cpu.max`]: '25000 50000\n' }), 0.5, 'the root of a container');
    const quota = (dir: string, us: number): Record<string, string> => ({
      [`${root}/cpu/${dir}cpu.cfs_quota_us`]: `${us}\n`,
      [`${root}/cpu/${dir}cpu.cfs_period_us`]: '100000\n',
    });
    assert.equal(of({ ...one, ...quota('', -1), ...quota('box/', 50_000), ...quota('box/inner/', -1) }), 0.5);
  });

  it('what all programs take is counted in the machine, its host and the control group, without those that give way', () => {
    let [seconds, stat, group] = [0, [0, 0, 0, 0, 0, 0, 0, 0], 0];
    const read = (limited: boolean) => (path: string) => {
      if (path === '/proc/stat') return `cpu  ${stat.join(' ')} 0 0\ncpu0 0\ncpu1 0\n`;
      if (path === '/proc/self/cgroup') return limited ? '2:cpu,cpuacct:/box\n' : '';
      if (path.endsWith('box/cpu.cfs_quota_us')) return '100000';
      if (path.endsWith('box/cpu.cfs_period_us')) return '100000';
      if (path.endsWith('box/cpuacct.usage')) return String(group * 1e9);
      throw new Error('ENOENT');
    };
    const meters = [new MachineLoadMeter(2, read(false)), new MachineLoadMeter(2, read(true))];
    const pass = (...spent: number[]): (number | undefined)[] => {
      for (let at = 0; at < 12; at += 2) {
        seconds += 2;
        stat = stat.map((ticks, i) => ticks + (spent[i] ?? 0));
        group += 2 * 0.9;
        for (const meter of meters) meter.look(seconds * 1000);
      }
      return meters.map(({ taken }) => taken);
    };
    pass();
    // A fifth user, a tenth system, a fifth nice, a tenth taken by the host, of two processors; nine tenths of the group's core.
    assert.deepEqual(pass(80, 80, 40, 160, 0, 0, 0, 40), [0.8, 0.9]);
    assert.ok(meters[1]!.load!.idle < 0.11 && meters[0]!.load!.idle === 0.4);
  });
});

describe('a Destination that is paused', () => {
  function setUp(t: TestScope) {
    const clock = new FakeClock();
    const dir = folder(t);
    const file = join(dir, 'events.jsonl');
    const events = new EventLog(file, { runId: 'r', livestreamId: 1 }, clock, (text) => text);
    const begun: AttemptHooks[] = [];
    let ended = 0;
    const path = new DestinationPath(
      {
        name: 'archive',
        publishingId: 1,
        which: 'primary',
        enabled: true,
        onChange: () => undefined,
        retry: { max_attempts: 9, initial_delay_ms: 100, max_delay_ms: 100 },
        begin: (hooks) => {
          begun.push(hooks);
          return { end: async () => void (ended += 1) };
        },
      },
      events,
      clock,
    );
    const logged = (): string[] =>
      new EventLog(file, { runId: 'r', livestreamId: 1 }, clock, (text) => text).earlier.map(({ kind }) => kind);
    return { clock, path, begun, logged, ended: () => ended };
  }
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it('a paused Destination ends its attempt, tries nothing, keeps its retry budget, and goes on when it is resumed', async (t) => {
    const { clock, path, begun, ended } = setUp(t);
    path.start();
    begun[0]!.onUp();
    path.pause('the disk is full', {});
    assert.deepEqual([path.status.state, path.status.last_error, ended()], ['retrying', 'the disk is full', 1]);
    begun[0]!.onDown('too late');
    clock.advance(3_600_000);
    await settled();
    assert.deepEqual([begun.length, path.status.state, path.status.attempts], [1, 'retrying', 0]);
    path.resume();
    await settled();
    assert.deepEqual([begun.length, path.status.state], [2, 'connecting']);
    begun[1]!.onUp();
    assert.equal(path.status.state, 'up');
  });

  it('a Destination that is up for a moment again and again is one event a reason, and one when it stays', async (t) => {
    const { clock, path, begun, logged } = setUp(t);
    const flap = async (reason: string): Promise<void> => {
      begun.at(-1)!.onUp();
      clock.advance(3000);
      begun.at(-1)!.onDown(reason);
      await settled();
      clock.advance(200);
    };
    path.start();
    for (let n = 0; n < 3; n += 1) await flap(`it ended after ${n} s`);
    assert.deepEqual(logged(), ['destination_up', 'destination_down']);
    await flap('another reason');
    begun.at(-1)!.onUp();
    assert.deepEqual(logged().slice(2), ['destination_down'], 'it has not proven itself');
    clock.advance(10_001);
    assert.deepEqual(logged().slice(3), ['destination_up']);
    begun.at(-1)!.onDown('another reason');
    await settled();
    assert.deepEqual(logged().slice(4), ['destination_down'], 'a new breakdown is told');
    assert.equal(path.status.attempts, 1);
  });

  it('a paused Destination is switched off and on without a wait for the disk, and starts only when there is room', async (t) => {
    const { path, begun } = setUp(t);
    path.pause('the disk is full', {});
    assert.equal(path.status.state, 'idle');
    path.start();
    assert.deepEqual([path.status.state, begun.length], ['retrying', 0]);
    await path.turn(false);
    assert.equal(path.status.state, 'idle');
    await path.turn(true);
    assert.deepEqual([path.status.state, begun.length], ['retrying', 0]);
    await path.turn(false);
    path.resume();
    await settled();
    assert.deepEqual([path.status.state, begun.length], ['idle', 0]);
    void path.turn(true);
    await settled();
    assert.equal(begun.length, 1);
  });
});

describe('the disk guard', () => {
  const SIZE = 100e9;
  const reserve = reserveOf(SIZE);
  function setUp(free: { bytes: number; pending?: Promise<void> }) {
    const messages: string[] = [];
    const path = (name: string): DestinationPath =>
      ({
        pause: (reason: string) => void messages.push(`${name} paused: ${reason}`),
        resume: () => void messages.push(`${name} resumed`),
      }) as unknown as DestinationPath;
    const users = [
      { type: 'Record' as const, paths: [path('record')] },
      { type: 'HLS / TS' as const, paths: [path('hls')] },
      { type: 'RTMP' as const, paths: [path('rtmp')] },
    ];
    let looks = 0;
    const guard = new DiskGuard({ recordings: '/r', segments: '/s' }, users, async () => {
      looks += 1;
      await free.pending;
      return { free_bytes: free.bytes, size_bytes: SIZE };
    });
    return { guard, messages, looks: () => looks };
  }

  it('the disk guard pauses Recordings first, segments last, other kinds never, and resumes them with some room to spare', async () => {
    assert.deepEqual(reserve, { record: 1024 ** 3, segments: 1024 ** 3 / 8 });
    assert.equal(reserveOf(1e9).record, 1e8, 'a tenth of a small disk');
    const free = { bytes: SIZE };
    const { guard, messages } = setUp(free);
    const at = async (bytes: number): Promise<string[]> => {
      free.bytes = bytes;
      await guard.look();
      return messages.splice(0).map((line) => line.split(':')[0]!);
    };
    assert.deepEqual(await at(reserve.record), []);
    assert.deepEqual(await at(reserve.record - 1), ['record paused']);
    assert.deepEqual(await at(reserve.record * 1.2), []);
    assert.deepEqual(await at(reserve.segments - 1), ['hls paused']);
    assert.deepEqual(await at(0), []);
    assert.deepEqual(await at(reserve.segments * 1.25), ['hls resumed']);
    assert.deepEqual(await at(reserve.record * 1.25), ['record resumed']);
    assert.deepEqual(guard.disk, { free_bytes: reserve.record * 1.25, size_bytes: SIZE });
  });

  it('the disk guard does not ask a hanging filesystem again, nor mind one that says nothing', async () => {
    let go: () => void = () => undefined;
    const hanging = setUp({ bytes: SIZE, pending: new Promise<void>((resolve) => (go = resolve)) });
    const first = hanging.guard.look();
    await hanging.guard.look();
    assert.equal(hanging.looks(), 2, 'one for each folder');
    go();
    await first;
    const silent = setUp({ bytes: 0, pending: Promise.reject(new Error('ENOENT')) });
    await silent.guard.look();
    assert.deepEqual(silent.messages, []);
  });
});
