/** One run within its runner process: its files, its API, and its stages from the first to the last. */
import { readFileSync, rmSync } from 'node:fs';
import { systemClock } from '../../domain/time/clock.ts';
import { RUN_SPEC_DEFAULTS } from '../../domain/shapes/broadcasts/run-defaults.ts';
import type { RunReport } from '../../domain/shapes/broadcasts/run.ts';
import type { RunSpec } from '../../domain/shapes/broadcasts/run-spec.ts';
import { runFiles, type RunFiles } from '../run-dir.ts';
import { knownSandbox } from '../ffmpeg/trial.ts';
import { reachOf } from '../network-rules.ts';
import { redactorFor, type Redact } from '../media/ffmpeg-output/redact.ts';
import { writeAtomic } from '../atomic-file.ts';
import { bootMs } from '../process.ts';
import { CurveWriter } from '../curves/curve-writer.ts';
import { PictureWriter } from '../pictures/picture-writer.ts';
import { RunnerApi } from './runner-api.ts';
import { EventLog } from './process/event-log.ts';
import { killOrphans, livingPredecessor, ChildProcesses } from './process/child-processes.ts';
import { orderedAt } from './run-context.ts';
import { tellAdopted } from './on-air.ts';
import { RunLease } from './run-lease.ts';
import { openRunNetwork } from './run-network.ts';
import { RunStages } from './run-stages.ts';
import { openRunLog } from './process/run-log.ts';

/** The process around a run. */
export interface RunnerProcess {
  /** Runs that the process carries out, this one included. */
  sharers(): number;
  /** Takes a further run. Rejects with the reason why it cannot be carried out here. */
  take(runId: string): Promise<void>;
}

export class CarriedRun {
  private readonly stages: RunStages;
  /** Resolves when all processes of the run have ended and its files are written. Never rejects. */
  readonly over: Promise<void>;

  private constructor(stages: RunStages, over: Promise<void>) {
    this.stages = stages;
    this.over = over;
  }

  /** Resolves when the run's API is open. Rejects when the run directory cannot be used, or another runner already has it. */
  static async begin(deviceDir: string, runId: string, runner: RunnerProcess): Promise<CarriedRun> {
    const files = runFiles(deviceDir, runId);
    const spec: RunSpec = { ...RUN_SPEC_DEFAULTS, ...(JSON.parse(readFileSync(files.spec, 'utf8')) as RunSpec) };
    // The order is written anew when the run is planned.
    const order = orderedAt(files, systemClock);
    const predecessor = livingPredecessor(files);
    if (predecessor !== undefined)
      throw new Error(`The run ${runId} is carried out by process ${predecessor.pid} already.`);
    killOrphans(files);
    rmSync(files.final, { force: true });
    const { redact, hide } = redactorFor(spec);
    const log = openRunLog(files.log);
    const events = new EventLog(files.events, spec, systemClock, redact);
    const network = await openRunNetwork(reachOf(deviceDir));
    const sandbox = await knownSandbox(deviceDir);
    const curves = new CurveWriter(deviceDir, spec, systemClock);
    const lease = new RunLease(spec.lease === true, bootMs);
    const children = new ChildProcesses({ files, run: spec, sandbox, network, redact, log });
    let onOver: (report: RunReport) => void;
    const end = new Promise<RunReport>((resolve) => (onOver = resolve));
    const stages: RunStages = new RunStages({
      spec,
      deviceDir,
      files,
      children,
      lease,
      events,
      clock: systemClock,
      startedAt: performance.now(),
      orderedAt: order,
      deliveredUntil: curves.deliveredUntil,
      sharers: () => runner.sharers(),
      hide,
      onChange: () => api.changed(),
      onOver: (report) => onOver(report),
    });
    const api = apiOf({ files, spec, stages, lease, events, redact, runner });
    try {
      await api.open();
    } catch (error) {
      network.close();
      log.close();
      curves.close();
      lease.close();
      children.leave();
      throw error;
    }
    const pictures = new PictureWriter({
      deviceDir,
      livestreamId: spec.livestreamId,
      isCopied: spec.renditions.some(({ video }) => video?.codec === 'copy'),
      take: () => stages.kept(),
    });
    events.onAdd = () => pictures.noteEvent();
    stages.start();
    curves.start(() => stages.report());
    pictures.start();
    const over = end.then(async (report) => {
      network.close();
      curves.close();
      pictures.close();
      const final = cleaned(report, redact);
      writeFinal(files, final, (message) => log.warn(message, { runId }));
      await api.close(final);
      rmSync(files.socket, { force: true });
      if (runner.sharers() > 1) children.leave();
      log.info(`The run ended: ${final.phase}`, { runId, ...(final.error !== null && { error: final.error }) });
      log.close();
    });
    return new CarriedRun(stages, over);
  }

  stop(): void {
    this.stages.stop();
  }
}

interface ApiDeps {
  files: RunFiles;
  spec: RunSpec;
  stages: RunStages;
  lease: RunLease;
  events: EventLog;
  redact: Redact;
  runner: RunnerProcess;
}

function apiOf({ files, spec, stages, lease, events, redact, runner }: ApiDeps): RunnerApi {
  return new RunnerApi(files.socket, {
    report: () => cleaned(stages.report(), redact),
    stop: () => stages.stop(),
    take: (runId) => runner.take(runId),
    grant: (askedMs) => lease.grant(askedMs),
    change: async (change, changeId) => ({ report: cleaned(await stages.change(change, changeId), redact), spec }),
    preview: (width) => stages.preview(width),
    picture: (width) => stages.picture(width),
    adopted: (awayMs) => tellAdopted(events, awayMs),
  });
}

function writeFinal({ final }: RunFiles, report: RunReport, warn: (message: string) => void): void {
  try {
    writeAtomic(final, JSON.stringify(report));
  } catch (error) {
    // On a full disk the agent gets the final report over its watch, and trusts it once the run has left this process.
    warn(`final.json was not written: ${(error as Error).message}`);
  }
}

/** Errors quote what servers and ffmpeg say. */
function cleaned(report: RunReport, redact: Redact): RunReport {
  return JSON.parse(
    JSON.stringify(report, (key, value: unknown) =>
      (key === 'error' || key === 'last_error') && typeof value === 'string' ? redact(value) : value,
    ),
  ) as RunReport;
}
