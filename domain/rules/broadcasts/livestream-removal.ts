/** Everything that goes with a Live stream that is deleted. */
import type { Tx } from '../../ports/store.ts';
import { forgetLivestream } from '../installation/mail-rule.ts';
import { cancelActions } from '../schedules/planned-action.ts';
import { forgetTile } from './wall.ts';

/** Removes its run and what is planned for it, not the row itself; runs inside the commit that deletes it. */
export function removeDependents(tx: Tx, id: number, now: string): void {
  cancelActions(tx, now, { livestreamId: id });
  forgetLivestream(tx, id, now);
  forgetTile(tx, id, now);
  if (tx.get('runs', id) !== undefined) tx.delete('runs', id);
  for (const firing of tx.find('firings', { where: { livestreamId: id } }).rows) tx.delete('firings', firing.id);
}
