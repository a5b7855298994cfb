/** Plans how a run follows its Publishing group: Destinations that have joined it are off, those that have left it are ended. */
import type { Publishing } from '../../domain/shapes/destinations/publishing.ts';
import type { Run } from '../../domain/shapes/broadcasts/run.ts';
import type { LiveBody } from '../../domain/shapes/changes/live-change.ts';
import { newEntry } from '../start/bindings.ts';
import { outputSpec } from '../start/run-spec.ts';
import type { OnAir } from './on-air.ts';
import { plainStep, type Plan } from './change-steps.ts';

export function planMembers(onAir: OnAir, { add, remove }: LiveBody<'members'>): Plan {
  const { view, run, keyOf } = onAir;
  const joining = add.flatMap((id) => view.get('publishings', id) ?? []);
  const outputs = joining.map((publishing) => outputSpec(publishing, undefined, run.boundEncodings, keyOf));
  if (outputs.length === 0 && remove.length === 0) return { steps: [], notes: [] };
  const step = plainStep({ type: 'outputs', add: outputs, remove });
  return { steps: [{ ...step, confirmed: (present) => followed(present, joining, remove) }], notes: [] };
}

/** The next start switches on what has joined, as it does with every Destination that is new to it. */
function followed(run: Readonly<Run>, joining: readonly Readonly<Publishing>[], remove: readonly number[]): Run {
  const stays = ({ publishingId }: { publishingId: number }): boolean => !remove.includes(publishingId);
  const bound = run.boundPublishings.filter((id) => !remove.includes(id));
  return {
    ...run,
    boundPublishings: [...new Set([...bound, ...joining.map(({ id }) => id)])],
    startConfig: run.startConfig.filter(stays),
    startedWith: [...(run.startedWith ?? run.startConfig).filter(stays), ...joining.map(newEntry)],
  };
}
