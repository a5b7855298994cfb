/** The next start of a Live stream takes its last start configuration, so that must not name a path that has gone since. */
import { hasBackupPath } from '../../shapes/destinations/publishing.ts';
import type { Tx } from '../../ports/store.ts';
import { addEvent } from '../rows/event-log.ts';

/**
 * Runs inside the commit that changed the Destination. Answers a sentence for each Live stream whose next start was to deliver its backup
 * path.
 */
export function dropBackup(tx: Tx, publishingId: number, now: string, username: string): string[] {
  const publishing = tx.get('publishings', publishingId);
  if (publishing === undefined || hasBackupPath(publishing)) return [];
  return tx.find('runs', {}).rows.flatMap((run) => {
    const last = run.startedWith ?? run.startConfig;
    if (!last.some((entry) => entry.publishingId === publishingId && entry.backup)) return [];
    const startedWith = last.map((entry) =>
      entry.publishingId === publishingId ? { ...entry, backup: false } : entry,
    );
    tx.put('runs', { ...run, startedWith });
    const name = tx.get('livestreams', run.id)?.name ?? run.id;
    const message = `Destination "${publishing.name}" has no backup_url any more: the next start of ${name} leaves its backup path out.`;
    addEvent(tx, now, run.id, {
      kind: 'runtime_changed',
      severity: 'warning',
      message,
      data: {
        change: 'backup_gone',
        publishingId,
        user: username,
      },
    });
    return [message];
  });
}
