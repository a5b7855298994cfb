/**
 * Tries what encoding costs on this machine, once for each ffmpeg: two seconds of a moving picture at the lowest priority. It begins some time
 * after the agent, while nothing is on air here, and ends when a run begins.
 */
import { join } from 'node:path';
import { anySignal } from '../../../domain/base/any-signal.ts';
import { trialFactor } from '../../../domain/shapes/encodings/capacity.ts';
import { toIso, type Clock } from '../../../domain/time/clock.ts';
import { encodingTrialField, type EncodingTrial } from '../../../domain/shapes/devices/device.ts';
import type { DeviceHello } from '../../../domain/ports/device-link.ts';
import type { Log } from '../../../domain/base/log.ts';
import { readCached, writeJson } from '../../atomic-file.ts';
import { ffmpegIdentity } from '../../ffmpeg/identity.ts';
import { inputRules } from '../../ffmpeg/input-rules.ts';
import { runMedia } from '../../ffmpeg/run.ts';

/** It is raised when the trial, or what the program encodes with, changes: every machine is tried anew then. */
const EDITION = 1;
/** The first start of a new machine comes before it. */
const FIRST_MS = 30_000;
const AGAIN_MS = 60_000;
/** On a machine at its limits, at the lowest priority, seconds become minutes. It is tried again when others may need less of it. */
const LIMIT_MS = 300_000;
const LATER_MS = 1_800_000;
/** All other programs come first. */
const LOWEST = 19;
const SECONDS = 2;

/** It moves and has the noise of a camera. Fifteen frames come again and again, so that making them costs little beside their encoding. */
const SOURCE = 'testsrc2=size=1280x720:rate=30,noise=alls=16:allf=t,loop=loop=-1:size=15';

export interface TrialDeps {
  deviceDir: string;
  /** Processors of this machine. */
  cores: number;
  /** Nothing runs on this Device, nor begins. */
  isQuiet: () => boolean;
  clock: Clock;
  log: Pick<Log, 'info' | 'warn'>;
  /** Ends it with the agent. */
  signal: AbortSignal;
  /** Left out: the lowest priority. */
  niceness?: number;
}

export type TrialFacts = Pick<DeviceHello, 'encodingTrial' | 'isTrying'>;

export class EncodingTrialRun {
  private readonly deps: TrialDeps;
  private running: AbortController | undefined;
  private found: EncodingTrial | undefined;
  /** It is under way, or waits for a quiet moment. */
  isOpen = false;

  constructor(deps: TrialDeps) {
    this.deps = deps;
  }

  get result(): EncodingTrial | undefined {
    return this.found;
  }

  /** For the Device's hello. */
  get facts(): TrialFacts {
    return { ...(this.found && { encodingTrial: this.found }), ...(this.isOpen && { isTrying: true }) };
  }

  /** Takes what an earlier agent has found, or tries after some time. Never rejects. */
  async begin(): Promise<void> {
    const { deviceDir, cores } = this.deps;
    const identity = await ffmpegIdentity();
    this.found = identity === undefined ? undefined : keptTrial(deviceDir, trialKey(identity, cores));
    if (this.found === undefined) this.tryIn(FIRST_MS);
  }

  /** A run begins: it gets the whole machine. */
  interrupt(): void {
    this.running?.abort();
  }

  private tryIn(ms: number): void {
    this.isOpen = true;
    const cancel = this.deps.clock.after(ms, () => void this.attempt());
    this.deps.signal.addEventListener('abort', cancel, { once: true });
  }

  private async attempt(): Promise<void> {
    const { isQuiet, signal, clock, log, deviceDir, cores, niceness = LOWEST } = this.deps;
    if (signal.aborted) return;
    if (!isQuiet()) return this.tryIn(AGAIN_MS);
    this.running = new AbortController();
    const ends = anySignal([signal, this.running.signal]);
    const seconds = await cpuSeconds(niceness, ends).catch(() => undefined);
    this.running = undefined;
    if (signal.aborted) return;
    if (ends.aborted) return this.tryIn(AGAIN_MS);
    if (seconds === 'ended') return this.tryIn(LATER_MS);
    this.isOpen = false;
    if (seconds === undefined)
      return log.warn({}, 'What encoding costs here could not be tried; it is learned from the first broadcasts.');
    const used = Number((seconds / SECONDS).toFixed(3));
    this.found = { cores: used, factor: trialFactor(used), tried_at: toIso(clock.now()) };
    log.info(this.found, 'What encoding costs on this machine was tried.');
    const identity = await ffmpegIdentity();
    if (identity === undefined) return;
    await writeJson(trialFile(deviceDir), { key: trialKey(identity, cores), trial: this.found }).catch(
      (error: unknown) =>
        log.warn({ err: error }, 'The trial of encoding could not be kept; the next agent repeats it.'),
    );
  }
}

/** The result holds for these alone. */
export function trialKey(identity: string, cores: number): string {
  return `${EDITION} ${cores} ${identity}`;
}

export function trialFile(deviceDir: string): string {
  return join(deviceDir, 'encoding-trial.json');
}

/** `key` left out: that of any machine. */
export function keptTrial(deviceDir: string, key?: string): EncodingTrial | undefined {
  const kept = readCached(trialFile(deviceDir)) as { key?: string; trial?: unknown } | null | undefined;
  if (key !== undefined && kept?.key !== key) return undefined;
  const trial = encodingTrialField.safeParse(kept?.trial);
  return trial.success ? trial.data : undefined;
}

/** CPU time that the trial takes; undefined when ffmpeg cannot do it; `ended` when it was, by its limit too. */
async function cpuSeconds(niceness: number, signal: AbortSignal): Promise<number | 'ended' | undefined> {
  const {
    code,
    signal: endedBy,
    stderr,
  } = await runMedia('ffmpeg', trialArgs(), {
    work: 'encode',
    niceness,
    limitMs: LIMIT_MS,
    signal,
  });
  if (endedBy === 'SIGKILL') return 'ended';
  const [, user, system] = /utime=([\d.]+)s stime=([\d.]+)s/u.exec(stderr) ?? [];
  return code === 0 && user !== undefined ? Number(user) + Number(system) : undefined;
}

function trialArgs(): string[] {
  const rendition = (label: string, kbps: number): string[] => [
    ...[
      '-map',
      label,
      '-c:v',
      'libx264',
      '-preset',
      'veryfast',
      '-tune',
      'zerolatency',
      '-g',
      '60',
      '-sc_threshold',
      '0',
    ],
    ...['-b:v', `${kbps}k`, '-maxrate', `${kbps}k`, '-bufsize', `${kbps}k`, '-f', 'null', '-'],
  ];
  return [
    ...['-hide_banner', '-nostdin', '-nostats', '-benchmark', '-f', 'lavfi', '-t', String(SECONDS)],
    ...[...inputRules({ protocols: 'pipe', formats: 'lavfi' }), '-i', SOURCE],
    ...['-filter_complex', '[0:v]format=yuv420p,split=2[large][half];[half]scale=640:360[small]'],
    ...rendition('[large]', 2500),
    ...rendition('[small]', 800),
  ];
}
