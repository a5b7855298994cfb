/** Who comes back first where several Live streams are begun anew, or moved, at once. */
import { DEFAULT_PRIORITY } from '../../shapes/broadcasts/livestream.ts';
import type { Run } from '../../shapes/broadcasts/run.ts';
import type { View } from '../../ports/store.ts';

/** 9 before 0; of equal ones that which has been on air longest, whose viewers have waited longest. The ids decide what is left. */
export function firstToReturn<R extends Readonly<Pick<Run, 'id' | 'started_at'>>>(
  view: Pick<View, 'get'>,
  runs: readonly R[],
): R[] {
  const priorityOf = ({ id }: R): number => view.get('livestreams', id)?.priority ?? DEFAULT_PRIORITY;
  return runs
    .map((run) => ({ run, priority: priorityOf(run), started: run.started_at ?? '' }))
    .sort((a, b) => b.priority - a.priority || a.started.localeCompare(b.started) || a.run.id - b.run.id)
    .map(({ run }) => run);
}
