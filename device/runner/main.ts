/** The runner process: one Live stream's media, detached from the agent that started it. */
import { readFileSync, rmSync } from 'node:fs';
import { systemClock } from '../../domain/clock.ts';
import { RUN_SPEC_DEFAULTS } from '../../domain/run-defaults.ts';
import type { RunReport, RunSpec } from '../../domain/run.ts';
import { boundLog } from '../log-file.ts';
import { runFiles, type RunFiles } from '../run-dir.ts';
import { knownSandbox } from '../ffmpeg/trial.ts';
import { reachOf } from '../network-rules.ts';
import { redactorFor } from '../media/ffmpeg-output/redact.ts';
import { writeAtomic } from '../atomic-file.ts';
import { RunnerApi } from './runner-api.ts';
import { EventLog } from './process/event-log.ts';
import { killOrphans, livingPredecessor, ChildProcesses } from './process/child-processes.ts';
import { openRunNetwork } from './run-network.ts';
import { RunStages } from './run-stages.ts';
import { stderrLog } from './process/run-log.ts';

/**
 * Runs until the stream has stopped or failed, then resolves; nothing but its files is left. Rejects when the run directory cannot be used,
 * or another runner already has it.
 */
export async function runRunner(deviceDir: string, runId: string): Promise<void> {
  // The run directory holds stream keys: nobody else may read the files of this process, unless a file's mode says so.
  process.umask(0o077);
  // The process is detached: the end of a terminal or of a log pipe is no reason to go off air.
  process.on('SIGHUP', () => undefined);
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

  const files = runFiles(deviceDir, runId);
  boundLog(files.log);
  const spec: RunSpec = { ...RUN_SPEC_DEFAULTS, ...(JSON.parse(readFileSync(files.spec, 'utf8')) as RunSpec) };
  const predecessor = livingPredecessor(files);
  if (predecessor !== undefined)
    throw new Error(`The run ${runId} is carried out by process ${predecessor.pid} already.`);
  killOrphans(files);
  rmSync(files.final, { force: true });
  const finalReport = await carryOut(deviceDir, files, spec);
  stderrLog.info(`The run ended: ${finalReport.phase}`, {
    runId,
    ...(finalReport.error !== null && { error: finalReport.error }),
  });
}

async function carryOut(deviceDir: string, files: RunFiles, spec: RunSpec): Promise<RunReport> {
  const { redact, hide } = redactorFor(spec);
  const events = new EventLog(files.events, spec, systemClock, redact);
  const network = await openRunNetwork(reachOf(deviceDir));
  const children = new ChildProcesses(files, spec, await knownSandbox(deviceDir), network, redact, stderrLog);
  let onOver: (report: RunReport) => void;
  const end = new Promise<RunReport>((resolve) => (onOver = resolve));
  const run: RunStages = new RunStages({
    spec,
    deviceDir,
    files,
    children,
    events,
    clock: systemClock,
    startedAt: performance.now(),
    hide,
    onChange: () => api.changed(),
    onOver: (report) => onOver(report),
  });
  const report = (): RunReport => cleaned(run.report(), redact);
  const api = new RunnerApi(files.socket, {
    report,
    stop: () => run.stop(),
    change: async (change, changeId) => ({ report: cleaned(await run.change(change, changeId), redact), spec }),
    preview: (width) => run.preview(width),
    picture: (width) => run.picture(width),
    adopted: () => events.add('adopted', 'info', 'A restarted agent has taken the running stream over.'),
  });
  await api.open();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => run.stop());
  run.start();
  const finalReport = cleaned(await end, redact);
  network.close();
  try {
    writeAtomic(files.final, JSON.stringify(finalReport));
  } catch (error) {
    // On a full disk the agent gets the final report over its watch, and trusts it once this process is gone.
    stderrLog.warn(`final.json was not written: ${(error as Error).message}`, { runId: spec.runId });
  }
  await api.close(finalReport);
  rmSync(files.socket, { force: true });
  return finalReport;
}

/** Errors quote what servers and ffmpeg say. */
function cleaned(report: RunReport, redact: (text: string) => string): RunReport {
  return JSON.parse(
    JSON.stringify(report, (key, value: unknown) =>
      (key === 'error' || key === 'last_error') && typeof value === 'string' ? redact(value) : value,
    ),
  ) as RunReport;
}
