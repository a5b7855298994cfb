/** Changes of a stored Destination while Live streams that deliver to it are on air. */
import { changedNames, sayChanged } from '../../base/changed-names.ts';
import type { Publishing } from '../../shapes/destinations/publishing.ts';
import type { Tx } from '../../ports/store.ts';
import { addEvent } from '../rows/event-log.ts';

/** No run uses these: they are text for people, and the retention of a closed Recording. */
const NOT_OF_A_RUN = [
  'updated_at',
  'name',
  'description',
  'asset_id',
  'settings.delete_after',
  'settings.remotefolder',
];

/** Runs in the commit of the change: it adds an event to each Live stream that goes on with the settings of its start. */
export function noteStoredChange(
  tx: Tx,
  now: string,
  username: string,
  before: Readonly<Publishing>,
  after: Readonly<Publishing>,
): void {
  const names = changedNames(before, after).filter((name) => !NOT_OF_A_RUN.includes(name));
  const summary = sayChanged(names.map((name) => name.replace(/^settings\./u, '')));
  if (summary === undefined) return;
  const { id: publishingId, name } = after;
  for (const run of tx.find('runs', { where: { status: { in: [1, 2] } } }).rows) {
    if (run.desired !== 'on' || !run.boundPublishings.includes(publishingId)) continue;
    const message = `${username}: Destination "${name}" is stored with ${summary}. On air it goes on as it was started; the change counts from the next start.`;
    const data = { change: 'stored', publishingId, changed: names, user: username, runId: run.runId };
    addEvent(tx, now, run.id, { kind: 'runtime_changed', severity: 'info', message, data });
  }
}
