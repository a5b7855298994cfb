/**
 * The runs of a simulated Device, as the agent's API takes them: a fake Device carries them out, and their events go through files, as those of
 * runners do. A run that is ordered is on air within a second or so and reports once a second from then on.
 */
import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Fleet, FleetWatcher } from '../../device/agent/runs/fleet.ts';
import { KeptFigures } from '../../device/agent/runs/kept-figures.ts';
import { isFinal } from '../../device/agent/runs/own-reports.ts';
import type { RunSupervisor } from '../../device/agent/runs/supervisor.ts';
import { bootMs } from '../../device/process.ts';
import type { Log } from '../../domain/base/log.ts';
import type { DeviceMessage } from '../../domain/ports/device-link.ts';
import type { PictureWidth, SentPicture } from '../../domain/shapes/broadcasts/live-picture.ts';
import { sentPicture } from '../../domain/shapes/broadcasts/live-picture.ts';
import type { RunReport } from '../../domain/shapes/broadcasts/run.ts';
import type { RunSpec } from '../../domain/shapes/broadcasts/run-spec.ts';
import type { RunChange } from '../../domain/shapes/changes/run-change.ts';
import type { FakeDevice } from '../../test/helpers/fake-device.ts';
import { figuresAt, onAirReport } from './reports.ts';

type Offered =
  | 'reports'
  | 'runs'
  | 'kept'
  | 'has'
  | 'ask'
  | 'grant'
  | 'resume'
  | 'start'
  | 'stop'
  | 'change'
  | 'forget'
  | 'preview'
  | 'picture'
  | 'watch';
/** The parts of a run that the stream of an agent's reports reads. */
type SimulatedRun = Pick<RunSupervisor, 'spec' | 'report' | 'hasEnded'> & { files: { events: string } };

const REPORT_MS = 1000;
/** An encoder that begins has its first picture within such a time. */
const [BEGIN_LEAST_MS, BEGIN_MORE_MS] = [300, 1000];

export class SimulatedRuns implements Pick<Fleet, Offered> {
  readonly kept: KeptFigures;
  private readonly device: FakeDevice;
  private readonly dir: string;
  private readonly random: () => number;
  private readonly byId = new Map<string, SimulatedRun>();
  private readonly timers = new Map<string, NodeJS.Timeout>();
  private readonly watchers = new Set<FleetWatcher>();
  /** Reports of runs on air that were made so far. */
  made = 0;

  constructor(device: FakeDevice, dir: string, random: () => number, log: Log) {
    this.device = device;
    this.dir = join(dir, 'runs');
    this.random = random;
    this.kept = new KeptFigures(dir, log);
    mkdirSync(this.dir, { recursive: true });
    device.watch(
      (message) => this.take(message),
      () => undefined,
    );
  }

  get runs(): RunSupervisor[] {
    return [...this.byId.values()] as RunSupervisor[];
  }

  get reports(): RunReport[] {
    return this.runs.map(({ report }) => report);
  }

  get onAirIds(): string[] {
    return this.reports.filter(({ phase }) => phase === 'running').map(({ runId }) => runId);
  }

  has(runId: string): boolean {
    return this.byId.has(runId);
  }

  ask(): number {
    return bootMs();
  }

  grant(): void {
    // None of these broadcasts moves by itself, so that no server grants a lease.
  }

  resume(): Promise<void> {
    return Promise.resolve();
  }

  start(spec: RunSpec): Promise<void> {
    return this.device.start(spec);
  }

  stop(runId: string): Promise<void> {
    return this.device.stop(runId);
  }

  change(runId: string, change: RunChange, changeId?: string): Promise<RunReport> {
    return this.device.change(runId, change, changeId);
  }

  forget(runId: string): Promise<void> {
    return this.device.forget(runId);
  }

  async preview(runId: string, width: number): Promise<{ jpeg: string }> {
    return { jpeg: (await this.device.preview(runId, width)).toString('base64') };
  }

  async picture(runId: string, width: number): Promise<SentPicture> {
    return sentPicture(await this.device.picture(runId, width as PictureWidth));
  }

  watch(watcher: FleetWatcher): () => void {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  }

  close(): void {
    for (const timer of this.timers.values()) clearTimeout(timer);
    this.timers.clear();
  }

  private take(message: DeviceMessage): void {
    if (message.type === 'report') this.takeReport(message.report);
    else if (message.type === 'event')
      appendFileSync(this.eventsOf(message.event.runId), `${JSON.stringify(message.event)}\n`);
    else if (message.type === 'gone') {
      this.byId.delete(message.runId);
      for (const watcher of this.watchers) watcher.onGone(message.runId);
    }
  }

  private takeReport(report: RunReport): void {
    const { runId } = report;
    const hasEnded = isFinal(report);
    const before = this.byId.get(runId);
    const spec = before?.spec ?? this.device.spec(runId);
    const run = Object.assign(before ?? { files: { events: this.eventsOf(runId) } }, { spec, report, hasEnded });
    this.byId.set(runId, run);
    if (before === undefined && !hasEnded) this.begin(runId);
    if (hasEnded) {
      clearTimeout(this.timers.get(runId));
      this.timers.delete(runId);
    }
    for (const watcher of this.watchers) watcher.onReport(run as RunSupervisor);
  }

  /** Each run has a moment of its own within the second. */
  private begin(runId: string): void {
    const beginMs = BEGIN_LEAST_MS + this.random() * BEGIN_MORE_MS;
    this.timers.set(
      runId,
      setTimeout(() => {
        this.device.running(runId, onAirReport(this.device.report(runId), new Date().toISOString()));
        this.timers.set(
          runId,
          setInterval(() => this.reportAgain(runId), REPORT_MS),
        );
      }, beginMs),
    );
  }

  private reportAgain(runId: string): void {
    const last = this.byId.get(runId)!.report;
    this.made += 1;
    this.device.tell(runId, figuresAt(last, new Date().toISOString(), this.random));
  }

  private eventsOf(runId: string): string {
    return join(this.dir, `${runId}.jsonl`);
  }
}
