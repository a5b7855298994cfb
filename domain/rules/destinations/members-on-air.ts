/** A change of a Publishing group while broadcasts on air deliver to it. */
import { AppError } from '../../base/errors.ts';
import type { PublishingGroup } from '../../shapes/destinations/publishing.ts';
import type { Run } from '../../shapes/broadcasts/run.ts';
import type { View } from '../../ports/store.ts';

/**
 * Runs inside the commit; the control plane brings the runs in line afterwards. Answers a sentence for each broadcast that gets a
 * Destination. Throws AppError confirmation_required for one that is on and would be ended.
 */
export function membersOnAir(
  view: View,
  row: Readonly<PublishingGroup>,
  { before, flags: { confirmStopDestination } }: { before: Readonly<PublishingGroup>; flags: Record<string, unknown> },
): string[] {
  const runs = view
    .find('runs', { where: { status: { in: [1, 2] } } })
    .rows.filter((run) => run.boundGroup === row.id && run.desired === 'on');
  const removed = before.elements.filter((id) => !row.elements.includes(id));
  const ending = runs.flatMap((run) => removed.filter((id) => isOn(run, id)).map((id) => ({ run, id })));
  if (ending.length > 0 && confirmStopDestination !== true) {
    const names = ending.map(({ run, id }) => `${nameOf(view, id)} of ${streamOf(view, run)}`);
    const detail = `On air and removed by this: ${names.join(', ')}. Repeat the call with confirmStopDestination: true to end what is delivered there.`;
    throw new AppError('confirmation_required', detail, { facts: { flag: 'confirmStopDestination' } });
  }
  const added = row.elements.filter((id) => !before.elements.includes(id));
  if (added.length === 0) return [];
  const newNames = added.map((id) => nameOf(view, id)).join(', ');
  return runs.map((run) => `${streamOf(view, run)} is on air and gets ${newNames}, switched off.`);
}

/** The broadcasts on air whose Destinations are not yet those of the group, in words. */
export function streamsBehind(view: View, groupId: number): string[] {
  const elements = view.get('publishingGroups', groupId)?.elements ?? [];
  return view
    .find('runs', { where: { status: 2 } })
    .rows.filter(
      (run) =>
        run.boundGroup === groupId &&
        run.desired === 'on' &&
        // A run on the cloud platform has the set of its start there.
        run.deviceId !== null &&
        (run.boundPublishings.length !== elements.length || elements.some((id) => !run.boundPublishings.includes(id))),
    )
    .map((run) => streamOf(view, run));
}

function isOn({ startConfig }: Readonly<Run>, id: number): boolean {
  return startConfig.some(({ publishingId, primary, backup }) => publishingId === id && (primary || backup));
}

function nameOf(view: View, id: number): string {
  return `Destination "${view.get('publishings', id)?.name ?? id}"`;
}

function streamOf(view: View, { id }: Readonly<Run>): string {
  return `Live stream "${view.get('livestreams', id)?.name ?? id}"`;
}
