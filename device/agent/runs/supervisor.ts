/**
 * Keeps one run as its order says: while it is on, its runner is started, watched, adopted and replaced; when it is off, everything of it
 * is ended. One loop owns all of that; a caller only changes the order and waits, so that nothing is locked while something slow goes on.
 */
import { isProven } from '../../../domain/base/absent.ts';
import { toIso, type Clock } from '../../../domain/time/clock.ts';
import { withDeadline } from '../../../domain/time/deadline.ts';
import { AppError } from '../../../domain/base/errors.ts';
import type { SentPicture } from '../../../domain/shapes/broadcasts/live-picture.ts';
import { pause } from '../../../domain/time/pause.ts';
import type { RunChange } from '../../../domain/shapes/changes/run-change.ts';
import type { RunReport } from '../../../domain/shapes/broadcasts/run.ts';
import type { RunSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import { writeJson } from '../../atomic-file.ts';
import { isAlive, type ProcessId } from '../../process.ts';
import type { RunFiles } from '../../run-dir.ts';
import { startingReport } from '../../starting-report.ts';
import { changeRun, pictureOfRun, previewRun, type Preview } from './ask-runner.ts';
import { endRun, killRun } from './end-run.ts';
import { followRunner } from './follow-runner.ts';
import type { Log } from '../../../domain/base/log.ts';
import { finalReport, isFinal } from './own-reports.ts';
import { RestartBudget } from './restart-budget.ts';
import {
  findChildren,
  findRunner,
  hasLeft,
  orderOff,
  readFinal,
  readOrder,
  wasAlone,
  wasSpawned,
  writeSpawned,
} from './run-record.ts';
import { sharesRunner, type SharedRunners } from './shared-runners.ts';
import type { StandbyRunner } from './standby-runner.ts';
import { spawnRunner } from './spawn-runner.ts';

/** Reports come once a second: after five missing ones the runner is taken to hang. */
const FROZEN_MS = 5000;
/** A start of Node and its program takes 0.3–1 s, and several times that on a machine at its limits. */
const START_MS = 15_000;
/** It bounds `stop`: a little above the sum of the limits in end-run.ts. */
const STOP_MS = 8000;
const AGAIN_MS = 1000;

export interface SupervisorOptions {
  deviceDir: string;
  files: RunFiles;
  spec: RunSpec;
  standby: StandbyRunner;
  shared: SharedRunners;
  clock: Clock;
  log: Log;
  withAudience: (spec: RunSpec, report: RunReport) => RunReport;
  onReport: (supervisor: RunSupervisor) => void;
  /** Resolves when an earlier run of the same Live stream has no processes left: two would write the same files. */
  after?: Promise<void>;
}

export class RunSupervisor {
  /** The spec with all changes that were made on air. */
  spec: RunSpec;
  readonly files: RunFiles;
  /** Resolves when the run has ended and none of its processes is left, or when the agent leaves. */
  readonly settled: Promise<void>;
  private lastReport: RunReport;
  private isOn: boolean;
  private readonly options: SupervisorOptions;
  private readonly log: Log;
  private readonly budget = new RestartBudget();
  /** It is aborted when the agent leaves; the run stays. */
  private readonly leaving = new AbortController();
  /** It is aborted by each change of the order, and when the agent leaves, so that the loop checks order and runner again. */
  private interrupt = new AbortController();
  /** The runner that this agent started or adopted; any other that is found alive is adopted. */
  private ownRunner: ProcessId | undefined;
  private hasBegun = false;
  /** Its runner takes no other run. */
  private isAlone: boolean;
  /** The runner's final report as it came over the connection: on a full disk there is no final.json. */
  private receivedFinal: RunReport | undefined;
  /** The final report that this agent makes for a run that it has given up, until it is on the disk. */
  private failureReport: RunReport | undefined;
  private lastExit: string | undefined;

  constructor(options: SupervisorOptions) {
    this.options = options;
    this.log = options.log;
    this.spec = options.spec;
    this.files = options.files;
    this.isOn = readOrder(options.files);
    this.isAlone = !sharesRunner(options.spec) || wasAlone(options.files);
    this.lastReport = readFinal(options.files) ?? startingReport(options.spec, this.now());
    this.settled = this.superviseToEnd();
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
    if (this.isOn) {
      this.isOn = false;
      this.wakeLoop();
      await orderOff(this.files).catch((error: unknown) => {
        // A broken disk must not keep a broadcast on air. The next agent would read that the order is still on, but finds final.json or
        // this agent alive.
        this.log.error(
          { err: error, runId: this.spec.runId },
          'The order to stop could not be written; the run is stopped all the same.',
        );
      });
    }
    await withDeadline(this.settled, STOP_MS, () => undefined);
    if (this.hasEnded) return;
    const detail = `Run ${this.spec.runId} still has processes after ${STOP_MS} ms; they are killed on.`;
    throw new AppError('timeout', detail);
  }

  /** Rejects with AppError `unavailable` while no runner can be reached, `timeout` when it does not answer, or the runner's own error. */
  async change(change: RunChange, changeId?: string): Promise<RunReport> {
    const { report, spec } = await changeRun(this.files.socket, change, changeId);
    this.spec = spec;
    if (!this.hasEnded) this.publish(report);
    return report;
  }

  preview(width: number): Promise<Preview> {
    return previewRun(this.files.socket, width);
  }

  picture(width: number): Promise<SentPicture> {
    return pictureOfRun(this.files.socket, width);
  }

  /** Ends the supervision; order and processes stay as they are for the next agent. */
  leave(): void {
    this.leaving.abort();
    this.wakeLoop();
  }

  private now(): string {
    return toIso(this.options.clock.now());
  }

  private wakeLoop(): void {
    const before = this.interrupt;
    this.interrupt = new AbortController();
    before.abort();
  }

  /** A machine without a free descriptor, or with a broken disk, hides the run for a while; it has failed once nothing of it is left. */
  private async superviseToEnd(): Promise<void> {
    while (!this.leaving.signal.aborted) {
      try {
        return await this.supervise();
      } catch (error) {
        this.log.error({ err: error, runId: this.spec.runId }, 'The run cannot be supervised.');
        if (isProven(() => this.findRunner() === undefined && findChildren(this.files).length === 0)) {
          const reason = 'The Device cannot keep the run directory; see its log.';
          return this.publish(finalReport(this.lastReport, 'failed', reason, this.now()));
        }
        await pause(AGAIN_MS, this.leaving.signal);
      }
    }
  }

  private async supervise(): Promise<void> {
    // The loop begins at least a turn later, so that the caller has its supervisor before the first report.
    const turnedOff = new Promise<void>((resolve) =>
      this.interrupt.signal.addEventListener('abort', () => resolve(), { once: true }),
    );
    await Promise.race([this.options.after, turnedOff]);
    while (!this.leaving.signal.aborted) {
      const final = readFinal(this.files) ?? this.failureReport;
      if (final !== undefined || !this.isOn) return this.end(final);
      const runner = this.findRunner();
      if (runner !== undefined) await this.follow(runner);
      else if (this.receivedFinal !== undefined) return this.end(this.receivedFinal);
      else await this.begin();
    }
  }

  /** Finds the runner from its files, or from memory if those could not be written. */
  private findRunner(): ProcessId | undefined {
    const { ownRunner, files } = this;
    const found = findRunner(files);
    if (found !== undefined || ownRunner === undefined || hasLeft(files)) return found;
    // The final report is the last that a runner says of a run, and others may keep its process alive.
    const isDone = this.receivedFinal !== undefined && this.isShared(ownRunner);
    return !isDone && isAlive(ownRunner.pid, ownRunner.startTicks) ? ownRunner : undefined;
  }

  private isShared(runner: ProcessId): boolean {
    return this.options.shared.isShared(this.spec.runId, runner);
  }

  private async follow(runner: ProcessId): Promise<void> {
    const isAdopted = runner.pid !== this.ownRunner?.pid;
    if (isAdopted) {
      this.log.info({ runId: this.spec.runId, pid: runner.pid }, 'Found a living runner; it is adopted.');
      this.ownRunner = runner;
    }
    if (!this.isAlone) this.options.shared.join(this.spec.runId, runner, this.files.socket);
    const ending = await followRunner({
      socket: this.files.socket,
      runner,
      adopted: isAdopted,
      frozenMs: FROZEN_MS,
      startMs: START_MS,
      onReport: (report) => this.takeReport(report),
      isCarried: () => !isProven(() => this.findRunner() === undefined),
      signal: this.interrupt.signal,
    });
    if (ending === 'gone') this.options.shared.leave(this.spec.runId);
    if (ending !== 'frozen') return;
    this.lastExit = `silent for ${FROZEN_MS / 1000} s`;
    this.log.warn({ runId: this.spec.runId, pid: runner.pid }, 'The runner hangs; it is killed and replaced.');
    this.options.shared.leave(this.spec.runId);
    await killRun(this.files, runner, this.leaving.signal);
  }

  private async begin(): Promise<void> {
    const { runId } = this.spec;
    const isRestart = this.hasBegun || wasSpawned(this.files);
    if (isRestart) {
      await killRun(this.files, undefined, this.leaving.signal);
      const pauseMs = this.budget.take(performance.now());
      if (pauseMs === undefined) return this.giveUp();
      // What kills its runner again and again takes no other run with it.
      this.isAlone ||= this.budget.used > 1;
      this.log.warn({ runId, pauseMs, exit: this.lastExit ?? null }, 'The runner is gone; it is started again.');
      await pause(pauseMs, this.interrupt.signal);
    }
    // The decision from before the pause may be outdated; from here to the start nothing waits.
    if (!this.isOn || this.leaving.signal.aborted || readFinal(this.files) !== undefined) return;
    this.hasBegun = true;
    const { shared } = this.options;
    const start = (): ProcessId | undefined => this.startRunner(isRestart);
    this.ownRunner = this.isAlone ? start() : await shared.begin(runId, this.files.socket, start);
    if (this.ownRunner === undefined) return;
    // The disk may be full; this agent knows the runner all the same.
    await writeSpawned(this.files, this.ownRunner, this.isAlone).catch((error: unknown) =>
      this.log.warn({ err: error, runId }, 'The runner could not be written down.'),
    );
  }

  /** A process of its own begins with this run. */
  private startRunner(isRestart: boolean): ProcessId | undefined {
    const { deviceDir, standby } = this.options;
    const { runId } = this.spec;
    const onExit = (how: string): void => void (this.lastExit = how);
    const waiting = isRestart ? standby.take(runId, onExit) : undefined;
    return waiting ?? spawnRunner(deviceDir, this.files, runId, onExit);
  }

  private giveUp(): void {
    const last = this.lastExit === undefined ? '' : ` Last: ${this.lastExit}.`;
    const reason = `The runner ended ${this.budget.limit + 1} times within ${this.budget.windowMs / 1000} s.${last} See ${this.files.log} on the Device.`;
    this.log.error({ runId: this.spec.runId }, reason);
    this.failureReport = finalReport(this.lastReport, 'failed', reason, this.now());
  }

  /** The runner's final report counts once its process is gone: until then the run has not ended. */
  private takeReport(report: RunReport): void {
    if (isFinal(report)) this.receivedFinal = report;
    else this.publish(report);
  }

  /** `known` is the final report, when there is one. The runner writes final.json itself; for a runner that was killed or given up this does. */
  private async end(known: RunReport | undefined): Promise<void> {
    const signal = this.leaving.signal;
    const isShared = (runner: ProcessId): boolean => this.isShared(runner);
    await endRun(this.files, this.findRunner(), { ask: known === undefined, log: this.log, signal, isShared });
    if (signal.aborted) return;
    this.options.shared.leave(this.spec.runId);
    const final = readFinal(this.files);
    const last = final ?? known ?? this.receivedFinal ?? finalReport(this.lastReport, 'stopped', null, this.now());
    if (final === undefined) {
      await writeJson(this.files.final, last).catch(async (error: unknown) => {
        this.log.error({ err: error, runId: this.spec.runId }, 'The end of the run could not be written down.');
        // The next agent must not take the run for one that goes on; a disk that refuses this too is named by the line above.
        await orderOff(this.files).catch(() => undefined);
      });
    }
    this.publish(last);
  }

  private publish(report: RunReport): void {
    this.lastReport = this.options.withAudience(this.spec, report);
    this.options.onReport(this);
  }
}
