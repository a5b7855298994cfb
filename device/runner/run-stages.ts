/** A runner's stages: its source is opened where the plan depends on it, and then the run is carried out. It reports from its first moment. */
import { AppError } from '../../domain/base/errors.ts';
import type { LivePicture } from '../../domain/shapes/broadcasts/live-picture.ts';
import type { PictureToKeep } from '../../domain/shapes/reports/kept-pictures.ts';
import type { RunChange } from '../../domain/shapes/changes/run-change.ts';
import type { RunReport } from '../../domain/shapes/broadcasts/run.ts';
import type { RunSpec } from '../../domain/shapes/broadcasts/run-spec.ts';
import type { SourceConnection } from './input/source-connection.ts';
import { refusalOfRun } from './preflight.ts';
import { openingReport } from './report.ts';
import { needsOpening, RunOpening } from './run-opening.ts';
import type { RunContext } from './run-context.ts';
import { FALLBACK_AFTER_MS, Run } from './run.ts';

/** An agent replaces a runner that is silent for long. */
const REPORT_MS = 1000;
/** A run that was on air waits so long for its source: one that is there is open by then on a busy machine, and its tracks are known. */
const REOPENED_MS = 10_000;

export class RunStages {
  private readonly context: RunContext;
  private opening: RunOpening | undefined;
  private timer: NodeJS.Timeout | undefined;
  private run: Run | undefined;
  private isStopping = false;

  constructor(context: RunContext) {
    this.context = context;
  }

  start(): void {
    const { spec, files } = this.context;
    const isOpened = refusalOfRun(spec) === undefined && needsOpening(spec);
    if (!isOpened) return this.begin();
    this.opening = new RunOpening({
      ...this.context,
      specFile: files.spec,
      onDone: (opened, failure) => this.begin(opened, failure),
    });
    this.timer = setInterval(() => this.context.onChange(), REPORT_MS);
    this.opening.start(this.openingMs(spec));
  }

  private openingMs({ startWithoutSource, wasOnAir, startTimeoutSeconds }: RunSpec): number {
    if (startWithoutSource === 'fallback') return FALLBACK_AFTER_MS;
    return wasOnAir === true ? REOPENED_MS : startTimeoutSeconds * 1000;
  }

  stop(): void {
    this.isStopping = true;
    if (this.run === undefined) this.opening?.finish();
    else this.run.stop();
  }

  report(): RunReport {
    return this.run?.report() ?? openingReport(this.context.spec);
  }

  /** Rejects with AppError. */
  async change(change: RunChange, changeId?: string): Promise<RunReport> {
    return this.started.change(change, changeId);
  }

  /** Returns what viewers see now, as a JPEG of at most this width in pixels. Rejects with AppError. */
  async preview(width: number): Promise<Buffer> {
    return this.started.monitor.preview(width);
  }

  /** Returns a small picture of what viewers see now. Rejects with AppError. */
  async picture(width: number): Promise<LivePicture> {
    return this.started.monitor.picture(width);
  }

  /** Returns what is kept of what viewers see now. Rejects with AppError. */
  async kept(): Promise<PictureToKeep> {
    return this.started.monitor.kept();
  }

  private get started(): Run {
    if (this.run === undefined)
      throw new AppError('wrong_state', 'The encoder is starting; it can be changed while it runs.');
    return this.run;
  }

  private begin(opened?: SourceConnection, failure?: string): void {
    clearInterval(this.timer);
    const run = new Run({ ...this.context, opened });
    this.run = run;
    if (this.isStopping) run.stop();
    else if (failure !== undefined) run.fail(failure);
    else run.start();
  }
}
