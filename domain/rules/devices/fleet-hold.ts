/** A hold of the fleet, as steps of a commit: while it lasts nothing moves a broadcast by itself. A person may, by force. */
import type { FleetHold } from '../../shapes/devices/fleet-hold.ts';
import type { Store, Tx, View } from '../../ports/store.ts';
import { addEvent } from '../rows/event-log.ts';

const ROW_ID = 1;

/** undefined while broadcasts may be moved. */
export function fleetHeld(view: Pick<View, 'get'>): FleetHold | undefined {
  return view.get('fleet', ROW_ID)?.hold ?? undefined;
}

/** null while broadcasts may be moved. */
export async function holdInForce(store: Pick<Store, 'find'>): Promise<FleetHold | null> {
  return (await store.find('fleet', {})).rows[0]?.hold ?? null;
}

/** Answers the hold in force; one that was there before keeps its beginning. */
export function holdFleet(tx: Tx, now: string, by: string): FleetHold {
  const present = fleetHeld(tx);
  if (present !== undefined) return present;
  const hold = { since: now, by };
  store(tx, now, hold);
  addEvent(tx, now, null, {
    kind: 'fleet_held',
    severity: 'warning',
    message: `${by} holds the fleet: no broadcast is moved to another Device by itself until releaseFleet.`,
    data: { user: by },
  });
  return hold;
}

export function releaseFleet(tx: Tx, now: string, by: string): void {
  const present = fleetHeld(tx);
  if (present === undefined) return;
  store(tx, now, null);
  addEvent(tx, now, null, {
    kind: 'fleet_released',
    severity: 'info',
    message: `${by} has released the fleet, which ${present.by} held: broadcasts may be moved again.`,
    data: { user: by, held_since: present.since, held_by: present.by },
  });
}

function store(tx: Tx, now: string, hold: FleetHold | null): void {
  const row = { id: ROW_ID, updated_at: now, hold };
  if (tx.get('fleet', ROW_ID) === undefined) tx.insert('fleet', row);
  else tx.put('fleet', row);
}
