/**
 * Keeps one run as its order says: on, its runner is started, watched, adopted and replaced; off, everything of it is ended.
 * One loop owns all of that; a caller only changes the order and waits, so that nothing is locked while something slow goes on.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { toIso, type Clock } from '../../../domain/clock.ts';
import { AppError } from '../../../domain/errors.ts';
import type { RunChange, RunReport, RunSpec } from '../../../domain/run.ts';
import { writeJson } from '../../atomic-file.ts';
import { isAlive, type ProcessId } from '../../process.ts';
import type { RunFiles } from '../../run-dir.ts';
import { changeRun, previewRun, type Preview } from './ask-runner.ts';
import { endRun, killRun } from './end-run.ts';
import { followRunner } from './follow-runner.ts';
import type { Log } from '../../../domain/log.ts';
import { finalReport, isFinal, startingReport } from './own-reports.ts';
import { RestartBudget } from './restart-budget.ts';
import { findRunner, orderOff, readFinal, readOrder, wasSpawned, writeSpawned } from './run-record.ts';
import type { StandbyRunner } from './standby-runner.ts';
import { spawnRunner } from './spawn-runner.ts';

/** Reports come once a second: five missing ones are no hiccup. */
const FROZEN_MS = 5000;
/** A start of Node and its program takes 0.3–1 s, on a machine at its limits several times that. */
const START_MS = 15_000;
/** The bound of `stop`: a little above the sum of the limits in end-run.ts. */
const STOP_MS = 8000;

export interface SupervisorOptions {
  deviceDir: string;
  files: RunFiles;
  spec: RunSpec;
  standby: StandbyRunner;
  clock: Clock;
  log: Log;
  onReport: (supervisor: RunSupervisor) => void;
  /** The processes of an earlier run of the same Live stream: two would write the same files. */
  after?: Promise<void>;
}

export class RunSupervisor {
  /** As changed on air. */
  spec: RunSpec;
  readonly files: RunFiles;
  /** Resolves when the run has ended and none of its processes is left, or when the agent leaves. */
  readonly settled: Promise<void>;
  private lastReport: RunReport;
  private on: boolean;
  private readonly options: SupervisorOptions;
  private readonly log: Log;
  private readonly budget = new RestartBudget();
  /** The agent goes, the run stays. */
  private readonly left = new AbortController();
  /** Aborted by each change of the order, and when the agent leaves: the loop looks again. */
  private interrupt = new AbortController();
  /** The runner that this agent started or adopted; any other that is found alive is adopted. */
  private own: ProcessId | undefined;
  private begun = false;
  /** The runner's last word as the watch brought it: with a full disk there is no final.json that could say it. */
  private spoken: RunReport | undefined;
  /** Why this agent gave the run up, until that is on the disk. */
  private verdict: RunReport | undefined;
  private lastExit: string | undefined;

  constructor(options: SupervisorOptions) {
    this.options = options;
    this.log = options.log;
    this.spec = options.spec;
    this.files = options.files;
    this.on = readOrder(options.files);
    this.lastReport = readFinal(options.files) ?? startingReport(options.spec, this.now());
    this.settled = this.supervise().catch((error: unknown) => {
      // Only a broken disk comes here: what cannot be written down cannot be kept, but it is told.
      this.log.error({ err: error, runId: this.spec.runId }, 'The run can no longer be supervised.');
      this.tell(
        finalReport(this.lastReport, 'failed', 'The Device cannot keep the run directory; see its log.', this.now()),
      );
    });
  }

  get report(): RunReport {
    return this.lastReport;
  }

  get hasEnded(): boolean {
    return isFinal(this.lastReport);
  }

  /** Turns the order off. Resolves when no process is left; rejects with AppError timeout if one outlives SIGKILL. */
  async stop(): Promise<void> {
    if (this.hasEnded) return;
    if (this.on) {
      this.on = false;
      this.look();
      await orderOff(this.files).catch((error: unknown) => {
        // A broken disk must not keep a broadcast on air. The next agent would see the order still on, but finds final.json or us alive.
        this.log.error(
          { err: error, runId: this.spec.runId },
          'The order to stop could not be written; the run is stopped all the same.',
        );
      });
    }
    const late = new AbortController();
    const bound = delay(STOP_MS, undefined, { signal: late.signal }).catch(() => undefined);
    await Promise.race([this.settled, bound]);
    late.abort();
    if (!this.hasEnded)
      throw new AppError(
        'timeout',
        `Run ${this.spec.runId} still has processes after ${STOP_MS} ms; they are killed on.`,
      );
  }

  /** Rejects with AppError: unavailable while there is no runner to ask, timeout, or the runner's own reason. */
  async change(change: RunChange, changeId?: string): Promise<RunReport> {
    const { report, spec } = await changeRun(this.files.socket, change, changeId);
    this.spec = spec;
    if (!this.hasEnded) this.tell(report);
    return report;
  }

  preview(width: number): Promise<Preview> {
    return previewRun(this.files.socket, width);
  }

  /** Ends the supervision; order and processes stay as they are for the next agent. */
  leave(): void {
    this.left.abort();
    this.look();
  }

  private now(): string {
    return toIso(this.options.clock.now());
  }

  private look(): void {
    const before = this.interrupt;
    this.interrupt = new AbortController();
    before.abort();
  }

  private async supervise(): Promise<void> {
    // At least a turn later, so that the caller knows its supervisor before the first report.
    const turnedOff = new Promise<void>((resolve) =>
      this.interrupt.signal.addEventListener('abort', () => resolve(), { once: true }),
    );
    await Promise.race([this.options.after, turnedOff]);
    const left = this.left.signal;
    while (!left.aborted) {
      const final = readFinal(this.files) ?? this.verdict;
      if (final !== undefined || !this.on) return this.end(final);
      const runner = this.findRunner();
      if (runner !== undefined) await this.follow(runner);
      else if (this.spoken !== undefined) return this.end(this.spoken);
      else await this.begin();
    }
  }

  /** By what is written down, or, where nothing could be written, by what this agent remembers. */
  private findRunner(): ProcessId | undefined {
    const own = this.own;
    return findRunner(this.files) ?? (own !== undefined && isAlive(own.pid, own.startTicks) ? own : undefined);
  }

  private async follow(runner: ProcessId): Promise<void> {
    const adopted = runner.pid !== this.own?.pid;
    if (adopted) {
      this.log.info({ runId: this.spec.runId, pid: runner.pid }, 'Found a living runner; it is adopted.');
      this.own = runner;
    }
    const fate = await followRunner({
      socket: this.files.socket,
      runner,
      adopted,
      frozenMs: FROZEN_MS,
      startMs: START_MS,
      onReport: (report) => this.hear(report),
      signal: this.interrupt.signal,
    });
    if (fate !== 'frozen') return;
    this.lastExit = `silent for ${FROZEN_MS / 1000} s`;
    this.log.warn({ runId: this.spec.runId, pid: runner.pid }, 'The runner hangs; it is killed and replaced.');
    await killRun(this.files, runner, this.left.signal);
  }

  private async begin(): Promise<void> {
    const { runId } = this.spec;
    const isRestart = this.begun || wasSpawned(this.files);
    if (isRestart) {
      await killRun(this.files, undefined, this.left.signal);
      const pauseMs = this.budget.take(performance.now());
      if (pauseMs === undefined) return this.giveUp();
      this.log.warn({ runId, pauseMs, exit: this.lastExit ?? null }, 'The runner is gone; it is started again.');
      await delay(pauseMs, undefined, { signal: this.interrupt.signal }).catch(() => undefined);
    }
    // What was decided before the pause may be over; from here to the spawn nothing waits.
    if (!this.on || this.left.signal.aborted || readFinal(this.files) !== undefined) return;
    this.begun = true;
    const onExit = (how: string): void => void (this.lastExit = how);
    const { deviceDir, standby } = this.options;
    const waiting = isRestart ? standby.take(runId, onExit) : undefined;
    this.own = waiting ?? spawnRunner(deviceDir, this.files, runId, onExit);
    if (this.own === undefined) return;
    // A full disk: this agent knows the runner all the same.
    await writeSpawned(this.files, this.own).catch((error: unknown) =>
      this.log.warn({ err: error, runId }, 'The runner could not be written down.'),
    );
  }

  private giveUp(): void {
    const last = this.lastExit === undefined ? '' : ` Last: ${this.lastExit}.`;
    const reason = `The runner ended ${this.budget.limit + 1} times within ${this.budget.windowMs / 1000} s.${last} See ${this.files.log} on the Device.`;
    this.log.error({ runId: this.spec.runId }, reason);
    this.verdict = finalReport(this.lastReport, 'failed', reason, this.now());
  }

  /** The runner's last word counts once its process is gone: until then the run has not ended. */
  private hear(report: RunReport): void {
    if (isFinal(report)) this.spoken = report;
    else this.tell(report);
  }

  /** The runner writes final.json itself; this writes it for one that was killed or given up. */
  private async end(verdict: RunReport | undefined): Promise<void> {
    const signal = this.left.signal;
    await endRun(this.files, this.findRunner(), { ask: verdict === undefined, log: this.log, signal });
    if (signal.aborted) return;
    const written = readFinal(this.files);
    const last = written ?? verdict ?? this.spoken ?? finalReport(this.lastReport, 'stopped', null, this.now());
    if (written === undefined) {
      await writeJson(this.files.final, last).catch(async (error: unknown) => {
        this.log.error({ err: error, runId: this.spec.runId }, 'The end of the run could not be written down.');
        // The next agent must not take it for one that goes on.
        await orderOff(this.files).catch(() => undefined);
      });
    }
    this.tell(last);
  }

  private tell(report: RunReport): void {
    this.lastReport = report;
    this.options.onReport(this);
  }
}
