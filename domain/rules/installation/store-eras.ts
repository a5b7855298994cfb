/** The eras of the store, and what becomes of its rows when it went back: nothing older than that begins or ends before a person has looked. */
import { randomBytes } from 'node:crypto';
import { AppError } from '../../base/errors.ts';
import { isTimed } from '../../shapes/schedules/planned-action.ts';
import { STATUS } from '../../shapes/broadcasts/livestream.ts';
import { eraBehind, type Restored, type StoreEra, type StoreMark } from '../../shapes/installation/store-era.ts';
import type { Tx, View } from '../../ports/store.ts';
import { addEvent } from '../rows/event-log.ts';
import { failAction } from '../schedules/planned-action.ts';
import { closeFiring, runOf } from '../schedules/schedule-firings.ts';

/** A server that is restarted every hour begins as many in six weeks. */
const MAX_ERAS = 1000;

export function erasOf(view: View): readonly Readonly<StoreEra>[] {
  return view.find('eras', {}).rows;
}

/** The restore that a person has to look at; undefined when there is none. */
export function waitingRestore(view: View): (Readonly<StoreEra> & { restored: Restored }) | undefined {
  const { rows } = view.find('eras', { where: { waiting: true } });
  return rows.find((era): era is StoreEra & { restored: Restored } => era.restored !== null);
}

/** Whether the row is as old as a restore that nobody has looked at, so that nothing is done for it by the clock. */
export function isHeld(view: View, { updated_at }: { updated_at: string }): boolean {
  const waiting = waitingRestore(view);
  return waiting !== undefined && updated_at <= waiting.restored.noticed_at;
}

/** Begins the era of a server that starts. */
export function beginEra(tx: Tx, now: string, era: string): void {
  insertEra(tx, now, era, null);
}

/** Begins an era behind a restore that a person has made by a command: there is nothing to look at but what Devices bring. */
export function beginRestored(tx: Tx, now: string, era: string, by: string): void {
  const at = { noticed_at: now, restored_to: null, seen_until: null, acknowledged_at: now };
  insertEra(tx, now, era, { ...at, noticed_by: by, acknowledged_by: by, places: [], stopping: [], left: [] });
}

function insertEra(tx: Tx, now: string, era: string, restored: Restored | null): void {
  const { id } = tx.insert('eras', { created_at: now, era, next: tx.nextIds(), restored, waiting: false });
  if (id > MAX_ERAS) tx.delete('eras', id - MAX_ERAS);
}

/** The mark to keep for whoever hears of the store now. Before the first era there is none. */
export function markOf(tx: Tx, now: string): StoreMark | undefined {
  const last = erasOf(tx).at(-1);
  return last && { at: now, eraId: last.id, era: last.era, next: tx.nextIds() };
}

/** The key that seals what Devices keep. */
export function ensureMarkKey(tx: Tx): string {
  const [present] = tx.find('secrets', { where: { name: 'marks' }, limit: 1 }).rows;
  return (present ?? tx.insert('secrets', { name: 'marks', value: randomBytes(32).toString('base64url') })).value;
}

/**
 * Compares the store with what somebody was told of it; answers the era that began behind a restore, undefined where the store has all. The
 * first time the restore is told, and the scheduler waits. Ids begin above those that were seen.
 */
export function compareMark(
  tx: Tx,
  now: string,
  mark: StoreMark,
  by: { name: string; restored_to: string | null },
): Readonly<StoreEra> | undefined {
  const behind = eraBehind(mark, erasOf(tx), tx.nextIds());
  if (behind === undefined) return undefined;
  tx.raiseNextIds(mark.next);
  if (behind.restored !== null) return behind;
  const { rows: runs } = tx.find('runs', {
    where: { desired: 'off', status: { in: [STATUS.starting, STATUS.running] } },
  });
  const restored: Restored = {
    noticed_at: now,
    noticed_by: by.name,
    restored_to: by.restored_to,
    seen_until: mark.at,
    acknowledged_at: null,
    acknowledged_by: null,
    places: [],
    stopping: runs.map(({ id }) => id),
    left: [],
  };
  const era: StoreEra = { ...behind, restored, waiting: true };
  tx.put('eras', era);
  const sessions = tx.find('sessions', {}).rows;
  for (const { id } of sessions) tx.delete('sessions', id);
  addEvent(tx, now, null, {
    kind: 'store_restored',
    severity: 'error',
    message: wordsOf(restored),
    data: {
      eraId: era.id,
      noticed_by: by.name,
      restored_to: by.restored_to,
      seen_until: mark.at,
      ended_sessions: sessions.length,
    },
  });
  return era;
}

export function wordsOf({ noticed_by, restored_to, seen_until }: Restored): string {
  const to = restored_to === null ? '' : ` to what it was at ${restored_to}`;
  return (
    `The store went back${to}: ${noticed_by} has seen it at ${seen_until}. What is on air stays as it is; Schedules and planned actions that ` +
    'are older than now wait until a person calls acknowledgeRestore. API tokens, passwords and users are as they were then: revoke again what ' +
    'was revoked since. All sessions have ended.'
  );
}

export interface Acknowledged {
  /** Planned actions whose instants have passed meanwhile. */
  actions: number;
  /** Occurrences that were under way and are left to people. */
  occurrences: number;
}

/** A person has looked: what falls due from now on is done again, and what fell due meanwhile is not. Nothing changes where nothing waits. */
export function acknowledge(tx: Tx, now: string, username: string): Acknowledged {
  const waiting = tx.find('eras', { where: { waiting: true } }).rows;
  if (waiting.length === 0) return { actions: 0, occurrences: 0 };
  for (const era of waiting) {
    const restored = era.restored && { ...era.restored, acknowledged_at: now, acknowledged_by: username };
    tx.put('eras', { ...era, restored, waiting: false });
  }
  const noticedAt = waiting
    .map(({ restored }) => restored?.noticed_at ?? now)
    .sort()
    .at(-1)!;
  const due = tx
    .find('plannedActions', { where: { status: 'pending', execute_at: { lt: now } } })
    .rows.filter(isTimed)
    .filter(({ updated_at }) => updated_at <= noticedAt);
  const reason = new AppError('timeout', 'Its time passed while the restored store waited for a person.');
  for (const action of due) failAction(tx, now, action, reason);
  const over = tx
    .find('firings', { where: { open: true } })
    .rows.filter((firing) => firing.created_at <= noticedAt)
    .filter((firing) => runOf(tx, firing) === undefined || firing.occurrence_end <= now);
  for (const firing of over) closeFiring(tx, firing);
  const message = `${username} has looked at the restored store: Schedules and planned actions go on.`;
  addEvent(tx, now, null, {
    kind: 'store_restored',
    severity: 'info',
    message,
    data: {
      user: username,
      actions: due.length,
      occurrences: over.length,
    },
  });
  return { actions: due.length, occurrences: over.length };
}

/** Whether an occurrence fell due before a person had looked at a restore that the Schedule is older than. */
export function isPastRestore(view: View, { updated_at }: { updated_at: string }, startMs: number): boolean {
  return erasOf(view).some(({ restored }) => {
    // A restore by a command says itself what is to go on.
    if (restored?.seen_until == null || restored.acknowledged_at === null) return false;
    return startMs < Date.parse(restored.acknowledged_at) && updated_at <= restored.noticed_at;
  });
}
