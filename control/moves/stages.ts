/** The stages of a move: how long each may last, why it has ended, and what the run that waits does with the backup paths. */
import { AppError } from '../../domain/base/errors.ts';
import type { DeviceLink } from '../../domain/ports/device-link.ts';
import { waitingGate } from '../../domain/rules/broadcasts/run-move.ts';
import type { MoveStage, RunMove } from '../../domain/shapes/broadcasts/run-move.ts';
import type { Run, RunReport } from '../../domain/shapes/broadcasts/run.ts';

export type Moving = Run & { move: RunMove };
export const STOPPED = 'its encoder was stopped from outside';

/**
 * arming: above the 25 s in which a runner gives up by itself, whose reason is the better one. switching: a Device that answers does so within a
 * second; while it does not, nobody may know whether viewers have a picture. proving: a Destination that the former Device reached a moment ago
 * takes a second. lent: likewise. reclaiming has no bound: the broadcast goes on by its primary paths, and its backup paths may be delivered by the
 * other run until its Device has answered, if only that it has no such run.
 */
export const STAGE_MS: { [S in MoveStage]?: number } = {
  arming: 35_000,
  lending: 10_000,
  lent: 15_000,
  switching: 10_000,
  proving: 15_000,
  returning: 10_000,
};

export function whyLate(stage: MoveStage, here: string, there: string): string {
  const seconds = (STAGE_MS[stage] ?? 0) / 1000;
  if (stage === 'arming') return `${there} has not shown its picture within ${seconds} s`;
  if (stage === 'lent') return `${there} has not delivered the backup paths within ${seconds} s`;
  return `${here} has not answered within ${seconds} s that it has stopped delivering`;
}

/** Why the run that waits can be waited for no longer; undefined while it can. */
export function endOf(report: RunReport | undefined): string | undefined {
  return report?.phase === 'failed' || report?.phase === 'stopped' ? (report.error ?? STOPPED) : undefined;
}

/** Resolves with the report of the run that waits once its gate is as the row has it; undefined where its Device has no such run. */
export async function setWaitingGate(
  run: Moving,
  link: DeviceLink,
  known: RunReport | undefined,
): Promise<RunReport | undefined> {
  const gate = waitingGate(run);
  const isSet = known?.gate?.epoch === gate.epoch && known.gate.backup === gate.backup;
  if (isSet) return known;
  try {
    return await link.change(run.move.runId, { type: 'gate', gate });
  } catch (error) {
    // A runner that starts anew refuses likewise, and may deliver in a moment.
    const isRefused = error instanceof AppError && error.code === 'wrong_state';
    if (!isRefused || (await link.hello()).runs.some(({ runId }) => runId === run.move.runId)) throw error;
    return undefined;
  }
}

/** Whether it delivers the backup paths that it has been lent. */
export function hasBackups({ move }: Moving, { gate }: RunReport): boolean {
  return gate?.backups === 'all' || (move.lent === 'some' && gate?.backups === 'some');
}
