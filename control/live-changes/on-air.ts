/** A Live stream on air as a change finds it, and the checks that changes share. */
import type { AssetFiles } from '../../domain/ports/control.ts';
import { AppError, notFound } from '../../domain/base/errors.ts';
import type { Livestream } from '../../domain/shapes/broadcasts/livestream.ts';
import { STATE_NAMES } from '../../domain/rules/broadcasts/livestream.ts';
import { encodingObstacle } from '../../domain/rules/broadcasts/command-rules.ts';
import type { InForce, Run, RunReport } from '../../domain/shapes/broadcasts/run.ts';
import { changeRowOf } from '../../domain/shapes/changes/change-questions.ts';
import type { ChangeKind } from '../../domain/shapes/changes/changes.ts';
import { callOffMove } from '../../domain/rules/broadcasts/run-move.ts';
import { called, calledIn } from '../../domain/base/sentence.ts';
import type { Tx, View } from '../../domain/ports/store.ts';
import { inForceOf } from '../start/in-force.ts';
import type { PlaybackKeys } from '../start/run-spec.ts';

/** A run that viewers see, with its rows and its last report. */
export interface OnAir {
  view: View;
  now: string;
  livestream: Readonly<Livestream>;
  run: Readonly<Run>;
  inForce: InForce;
  /** The last report of its runner. */
  report: RunReport | undefined;
  files: Pick<AssetFiles, 'path'>;
  /** Keys of Destinations with tokens. */
  keyOf: PlaybackKeys | undefined;
}

/** Throws AppError not_found, or wrong_state that names the state. */
export function assertOnAir(
  view: View,
  livestreamId: number,
): { livestream: Readonly<Livestream>; run: Readonly<Run> } {
  const livestream = view.get('livestreams', livestreamId);
  if (livestream === undefined) throw notFound('Live stream', livestreamId);
  const run = view.get('runs', livestreamId);
  const status = run?.status ?? 0;
  if (run !== undefined && status === 2 && run.desired === 'on') return { livestream, run };
  throw notOnAir(livestream, status, run?.desired === 'off');
}

export function notOnAir(livestream: Pick<Livestream, 'id' | 'name'>, status: number, stopping: boolean): AppError {
  const state = status === 2 && stopping ? 'is being stopped' : `has status ${status} (${STATE_NAMES[status]})`;
  const remedy = { 0: 'Start it first.', 1: 'Try again once it is on air.', 3: 'Start it again first.' }[status];
  const detail = `${called('Live stream', livestream)} ${state}; this can be changed in status 2 (on air) only.`;
  return new AppError('wrong_state', remedy === undefined ? detail : `${detail} ${remedy}`, {
    facts: { state: status, allowed: [2] },
    // A start is about to end; the same call may succeed then.
    ...(status === 1 && { retryAfterSeconds: 1 }),
  });
}

export function onAirOf(
  view: View,
  now: string,
  livestreamId: number,
  reportOf: (runId: string) => RunReport | undefined,
  { files, keyOf }: Pick<OnAir, 'files' | 'keyOf'>,
): OnAir {
  const { livestream, run } = assertOnAir(view, livestreamId);
  const inForce = inForceOf(run, livestream);
  return { view, now, livestream, run, inForce, report: reportOf(run.runId), files, keyOf };
}

/** Throws AppError rule_violated for Encodings that cannot have such a change. */
export function assertNeeds({ view, run, livestream }: OnAir, kind: ChangeKind): void {
  const { needs } = changeRowOf(kind);
  if (needs === null) return;
  const encodings = run.boundEncodings.flatMap((id) => view.get('encodings', id) ?? []);
  const obstacle = encodingObstacle(encodings, livestream.name, needs.what, needs.of);
  if (obstacle !== undefined) throw new AppError('rule_violated', obstacle);
}

/** A change comes before a move: the run that waits was made without it. One that is changing places takes none for a moment. */
export function takeFirst(tx: Tx, id: number, now: string): void {
  const run = tx.get('runs', id);
  if (run?.move == null) return;
  // The broadcast is where it was, and what waits ends.
  if (run.move.stage === 'reclaiming') return;
  if (run.move.stage === 'arming') return callOffMove(tx, run, now, 'it was changed meanwhile; move it again');
  const detail = `${calledIn(tx, 'Live stream', id)} is just being moved to another Device. Try again in a moment.`;
  throw new AppError('unavailable', detail, { retryAfterSeconds: 1 });
}
