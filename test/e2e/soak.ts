/**
 * A broadcast that is changed and harmed at random for as long as asked: `node --import tsx test/e2e/soak.ts [minutes] [seed]`. Ends with 1
 * and says what, when anything is not as it must be. It runs on loopback, needs about a core, and leaves nothing behind.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { goOnAir, statusOf } from '../helpers/broadcast.ts';
import { makeCountedClip, soundOffsets, timelineOf } from '../helpers/counted.ts';
import { receive, VIDEO } from '../helpers/counted-broadcast.ts';
import { freePort } from '../helpers/ports.ts';
import { startRtmp, type RtmpServer } from '../helpers/servers/rtmp.ts';
import { pidsOf, startService, TOKEN, type Service } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

const MINUTES = Number(process.argv[2] ?? 10);
const SEED = Number(process.argv[3] ?? Date.now() % 100_000);
const PAUSE_MS = 4000;
/** A minute: an encoder that is restarted five times in one is given up, as it should be. */
const MAX_HARMS = 3;
const MAX_OFFSET_SECONDS = 0.045;
/** A runner's first minute fills its buffers. */
const SETTLE_MS = 60_000;
/** In each quarter of the time. In an hour it was 3 MB in all; ten minutes on a crowded machine, whose collector lags, are not as even. */
const MAX_GROWTH_BYTES = 8 << 20;

/** mulberry32: the same seed gives the same hour. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Feed {
  channelId: number;
  start(): void;
  stop(): void;
}

class Soak {
  readonly random = randomOf(SEED);
  readonly done = new Map<string, number>();
  /** Steps, newest last. */
  latest: string[] = [];
  private readonly service: Service;
  private readonly rtmp: RtmpServer;
  private feeds: Feed[] = [];
  private onAir = 0;
  private livestreamId = 0;
  private ids = { rtmp: 0, stream: 0, record: 0 };
  private receiver: ChildProcess | undefined;
  private readonly capture: string;
  private logoShown = false;
  private encoderHarmedAt: number[] = [];

  constructor(service: Service, rtmp: RtmpServer) {
    this.service = service;
    this.rtmp = rtmp;
    this.capture = join(service.scratch, 'soak.ts.bin');
  }

  async setUp(): Promise<void> {
    const { service } = this;
    const clip = makeCountedClip(join(service.scratch, 'feed.mp4'), 3600);
    for (const name of ['A', 'B']) this.feeds.push(await this.feed(name, clip));
    await this.uploadLogo();
    const encodings = [];
    for (const [name, height, bitrate] of [
      ['large', 270, 500],
      ['small', 180, 250],
    ] as const)
      encodings.push(await service.create('/encodings', { name, settings_video: { ...VIDEO, height, bitrate } }));
    const encodingGroupId = await service.create('/encodings/groups', { name: 'ladder', elements: encodings });
    const udp = await freePort();
    this.receiver = receive(`udp://127.0.0.1:${udp}?fifo_size=50000`, this.capture);
    const retry = { max_attempts: 1000, initial_delay_ms: 200, max_delay_ms: 1000 };
    const add = (name: string, type: string, settings: object): Promise<number> =>
      service.create('/publishings', { name, type, settings, retry });
    this.ids = {
      rtmp: await add('rtmp', 'RTMP', { url: this.rtmp.url, stream_key: 'soak' }),
      stream: await add('stream', 'STREAM', { url: `udp://127.0.0.1:${udp}` }),
      record: await add('record', 'Record', {}),
    };
    const elements = [
      ...Object.values(this.ids),
      await add('hls', 'HLS / TS', { segment_duration: 2 }),
      await add('cmaf', 'CMAF', { segment_duration: 2 }),
    ];
    const publishingGroupId = await service.create('/publishings/groups', { name: 'outputs', elements });
    for (const feed of this.feeds) feed.start();
    const bound = { channelId: this.feeds[0]!.channelId, encodingGroupId, publishingGroupId };
    this.livestreamId = await service.create('/livestreams', { name: 'Soak', ...bound });
    await goOnAir(service, this.livestreamId);
    await this.healthy('the start');
  }

  private async feed(name: string, clip: string): Promise<Feed> {
    const port = await freePort();
    const channelId = await this.service.create('/channels', {
      name,
      type: 'Stream',
      settings: { url: `udp://127.0.0.1:${port}` },
    });
    let child: ChildProcess | undefined;
    return {
      channelId,
      start: () => {
        const args = ['-v', 'error', '-nostdin', '-re', '-stream_loop', '-1', '-i', clip, '-c', 'copy', '-f', 'mpegts'];
        child = spawn('ffmpeg', [...args, `udp://127.0.0.1:${port}?pkt_size=1316`], { stdio: 'ignore' });
      },
      stop: () => void child?.kill('SIGKILL'),
    };
  }

  private async uploadLogo(): Promise<void> {
    const path = join(this.service.scratch, 'logo.png');
    execFileSync('ffmpeg', ['-v', 'error', '-y', '-f', 'lavfi', '-i', 'color=red:s=200x100', '-frames:v', '1', path]);
    const form = new FormData();
    form.set('fileType', 'logos');
    form.set('file', new Blob([readFileSync(path)], { type: 'image/png' }), 'logo.png');
    const headers = { authorization: `Bearer ${TOKEN}` };
    const reply = await fetch(`${this.service.url}/svcapiv2/assets`, { method: 'POST', headers, body: form });
    assert.equal(reply.status, 201, await reply.text());
  }

  private pids(pattern: RegExp): number[] {
    return pidsOf(this.service.scratch, pattern);
  }

  private async order(operation: string, body: object): Promise<void> {
    const call = () => this.service.rest('POST', `/livestreams/${this.livestreamId}/${operation}`, body);
    // Once more on a fresh connection when it was kept to a control plane that has been killed; again while an agent or a frozen encoder
    // comes back.
    const reply = await until('an answer', async () => {
      const answer = await call().catch(call);
      return answer.status !== 503 && answer.status !== 504 && answer;
    });
    assert.equal(reply.status, 200, `${operation}: ${JSON.stringify(reply.body)}`);
  }

  /** One that is being replaced by now is waited for. */
  private async kill(pattern: RegExp, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const found = await until(`a process ${pattern}`, () => {
      const pids = this.pids(pattern);
      return pids.length > 0 && pids;
    });
    process.kill(found[Math.floor(this.random() * found.length)]!, signal);
  }

  readonly steps: Record<string, () => Promise<void>> = {
    toggle: async () => {
      for (const primary of [false, true])
        await this.order('runtimeOptions/publishings', { publishings: [{ publishingId: this.ids.rtmp, primary }] });
    },
    logo: async () => {
      this.logoShown = !this.logoShown;
      await this.order('runtimeOptions/logo', {
        logo: { filename: this.logoShown ? 'logo.png' : '', position: 'Top-Left' },
      });
    },
    text: async () => {
      await this.order('text', {
        action: 'show',
        text: 'Soak %H:%M:%S',
        position: 'Bottom-Right',
        size: 40,
        color: '#ffff00',
      });
      await sleep(1500);
      await this.order('text', { action: 'hide' });
    },
    blackout: async () => {
      await this.order('runtimeOptions/blackout', { mode: 'Black Frame' });
      await sleep(500);
      await this.order('runtimeOptions/blackout', { mode: 'Live' });
    },
    'source switch': async () => {
      this.onAir = 1 - this.onAir;
      await this.order('runtimeOptions/sourceSwitch', { channelId: this.feeds[this.onAir]!.channelId });
    },
    'source lost': async () => {
      this.feeds[this.onAir]!.stop();
      await sleep(2500);
      this.feeds[this.onAir]!.start();
    },
    cue: async () => {
      await this.order('runtimeOptions/metadata', { type: 'CueOut', metadata: { duration: 2 } });
      await sleep(2500);
    },
    'ingest killed': async () => this.kill(/^\S*ffmpeg.* -i udp:.* pipe:/u),
    'encoder killed': async () => this.kill(/^\S*ffmpeg.* -i pipe:3 /u),
    'encoder frozen': async () => this.kill(/^\S*ffmpeg.* -i pipe:3 /u, 'SIGSTOP'),
    'RTMP server killed': async () => {
      await this.rtmp.crash();
      await sleep(1000);
      await this.rtmp.start();
    },
    'RTMP server frozen': async () => {
      this.rtmp.signal('SIGSTOP');
      await sleep(3000);
      this.rtmp.signal('SIGCONT');
    },
    'agent killed': async () => this.kill(/onair\S* device/u),
    'control plane killed': async () => {
      await this.service.kill('SIGKILL');
      await this.service.restart();
    },
    'runner killed': async () => this.kill(/onair\S* runner/u),
  };

  /** `lasting`: the runner of now is to live on, so that its memory can be weighed. */
  async step(lasting: boolean): Promise<void> {
    const now = Date.now();
    this.encoderHarmedAt = this.encoderHarmedAt.filter((at) => now - at < 60_000);
    const isSpared = (name: string): boolean =>
      (lasting && name === 'runner killed') || (name.startsWith('encoder') && this.encoderHarmedAt.length >= MAX_HARMS);
    const names = Object.keys(this.steps).filter((name) => !isSpared(name));
    const name = names[Math.floor(this.random() * names.length)]!;
    if (name.startsWith('encoder')) this.encoderHarmedAt.push(now);
    this.done.set(name, (this.done.get(name) ?? 0) + 1);
    this.latest = [...this.latest.slice(-11), `${new Date().toISOString().slice(11, 19)} ${name}`];
    await this.steps[name]!();
    await this.healthy(name);
    await sleep(PAUSE_MS * this.random());
  }

  /** On air, source and every path up: within half a minute of whatever it was. */
  private async healthy(after: string): Promise<void> {
    let last: unknown;
    await until(`healthy after ${after}`, async () => {
      const { body } = await this.service
        .rest('GET', `/livestreams/${this.livestreamId}/status`)
        .catch(() => ({ body: undefined }));
      last = body?.data;
      const { status, source, publishings } = body?.data ?? {};
      if (status === 3) throw new Error(`off air after ${after}: ${body.data.errorstatus}`);
      return (
        status === 2 &&
        source?.state === 'up' &&
        publishings.every((p: { primary: { state: string } }) => p.primary.state === 'up')
      );
    }).catch((error: Error) => {
      throw new Error(`${error.message}\nafter ${this.latest.join(', ')}\n${JSON.stringify(last, null, 1)}`);
    });
  }

  runnerBytes(): number {
    const [pid] = this.pids(/onair\S* runner/u);
    const pages = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1];
    return Number(pages) * 4096;
  }

  get runnerPid(): number {
    return this.pids(/onair\S* runner/u)[0] ?? 0;
  }

  /** Sound against picture in what the receiver wrote lately. */
  offsets(): number[] {
    const size = statSync(this.capture).size;
    const part = `${this.capture}.part.ts`;
    const from = Math.max(0, Math.floor((size - 3_000_000) / 188) * 188);
    writeFileSync(part, readFileSync(this.capture).subarray(from));
    return soundOffsets(timelineOf(part));
  }

  async tearDown(): Promise<void> {
    const { body } = await this.service.rest('GET', `/livestreams/${this.livestreamId}/events?pageSize=500&sort=-id`);
    const kinds = new Set((body.rows as { kind: string }[]).map(({ kind }) => kind));
    for (const [step, kind] of Object.entries(EXPECTED)) {
      if ((this.done.get(step) ?? 0) > 0)
        assert.ok(kinds.has(kind), `${step} happened and no event ${kind} is in the log`);
    }
    await this.service.rest('POST', `/livestreams/${this.livestreamId}/stop`, {});
    await until('stopped', async () => (await statusOf(this.service, this.livestreamId)).status === 0);
    await until(
      'no process of the run is left',
      () => this.pids(/onair\S* (?:runner|spare)|^\S*ffmpeg(?!.*(?:stream_loop|soak\.ts))/u).length === 0,
    );
    const runs = join(this.service.dataDir, 'device', 'runs');
    await until('no run directory is left', () => !existsSync(runs) || readdirSync(runs).length === 0);
  }

  endPeers(): void {
    for (const feed of this.feeds) feed.stop();
    this.receiver?.kill('SIGKILL');
  }
}

const EXPECTED: Record<string, string> = {
  toggle: 'runtime_changed',
  'source switch': 'source_switched',
  'source lost': 'source_lost',
  'encoder killed': 'encoder_restarted',
  'runner killed': 'encoder_restarted',
  'encoder frozen': 'encoder_stalled',
  'RTMP server killed': 'destination_down',
  'agent killed': 'adopted',
};

let interrupted = false;
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => (interrupted = true));

/**
 * The least growth of the floor from one quarter of the measurements to the next: frames in flight and a collector that waits make memory
 * swing, and a font, a codec or a second source that is used for the first time lifts the floor once; a leak lifts it every time.
 */
function growthOf(bytes: readonly number[]): number {
  const quarter = Math.floor(bytes.length / 4);
  if (quarter === 0) return 0;
  const floors = [0, 1, 2, 3].map((at) => Math.min(...bytes.slice(at * quarter, (at + 1) * quarter)));
  return Math.min(...floors.slice(1).map((floor, at) => floor - floors[at]!));
}

async function main(): Promise<void> {
  process.stdout.write(`soak: ${MINUTES} min, seed ${SEED}\n`);
  const service = await startService();
  const rtmp = await startRtmp();
  const soak = new Soak(service, rtmp);
  try {
    await soak.setUp();
    const startedAt = Date.now();
    const end = startedAt + MINUTES * 60_000;
    // A runner that was killed begins anew: its successor is weighed against itself. The last one lives for two thirds of the time.
    let weighed = { pid: 0, since: 0, bytes: [] as number[] };
    let worst = 0;
    let looks = 0;
    while (Date.now() < end && !interrupted) {
      await soak.step(Date.now() - startedAt > (MINUTES * 60_000) / 3);
      const pid = soak.runnerPid;
      if (pid !== weighed.pid) weighed = { pid, since: Date.now(), bytes: [] };
      else if (Date.now() - weighed.since > SETTLE_MS) weighed.bytes.push(soak.runnerBytes());
      looks += 1;
      if (looks % 8 === 0) {
        const offsets = soak.offsets();
        worst = Math.max(worst, ...offsets.map(Math.abs));
        assert.ok(
          worst <= MAX_OFFSET_SECONDS,
          `sound is off by ${worst} s: ${offsets.join(' ')}\nafter ${soak.latest.join(', ')}`,
        );
        process.stdout.write(
          `soak: ${looks} steps, worst A/V offset ${(worst * 1000).toFixed(0)} ms, runner ${(soak.runnerBytes() / 1e6).toFixed(0)} MB\n`,
        );
      }
    }
    const grown = growthOf(weighed.bytes);
    process.stdout.write(
      `soak: each quarter of ${weighed.bytes.length} looks added at least ${(grown / 1e6).toFixed(1)} MB to the runner\n`,
    );
    assert.ok(grown < MAX_GROWTH_BYTES, `the runner grew: ${weighed.bytes.join(' ')}`);
    await soak.tearDown();
    process.stdout.write(`soak: ${JSON.stringify(Object.fromEntries(soak.done))}\nsoak: passed\n`);
  } finally {
    soak.endPeers();
    await rtmp.dispose();
    await service.dispose();
  }
}

await main();
