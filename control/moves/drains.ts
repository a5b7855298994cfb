/** Empties Devices: what could not be moved at once is tried again, until the Device is empty or its deadline is over. */
import { toIso, type Clock } from '../../domain/time/clock.ts';
import { AppError } from '../../domain/base/errors.ts';
import type { Log } from '../../domain/base/log.ts';
import { firstToReturn } from '../../domain/rules/broadcasts/priority.ts';
import { noteDrained, runsToMove } from '../../domain/rules/devices/drain.ts';
import type { MoveControl, StayingRun } from '../../domain/ports/move-control.ts';
import type { Run } from '../../domain/shapes/broadcasts/run.ts';
import type { Store, Tx } from '../../domain/ports/store.ts';
import type { DeviceRegistry } from '../device-registry.ts';
import type { RowCache } from '../row-cache.ts';
import { moveOrders, type MoveOrdersDeps } from './order-move.ts';

export interface DrainDeps extends MoveOrdersDeps {
  store: Pick<Store, 'tx'>;
  clock: Clock;
  log: Log;
  rows: Pick<RowCache, 'devices'>;
  registry: Pick<DeviceRegistry, 'get' | 'report'>;
}

const LOOK_MS = 1000;
/** A move that has failed has tried for half a minute, and a start that is under way ends in as long. */
const AGAIN_MS = 30_000;

export class Drains {
  private readonly deps: DrainDeps;
  private readonly looking = new Set<number>();
  private cancel: () => void = () => undefined;

  /** Moves are ordered by it, and by people. */
  readonly orderMove: MoveControl['orderMove'];

  constructor(deps: DrainDeps) {
    this.deps = deps;
    this.orderMove = moveOrders(deps);
    this.later();
  }

  close(): void {
    this.cancel();
  }

  private later(): void {
    this.cancel = this.deps.clock.after(LOOK_MS, () => {
      const { rows, registry } = this.deps;
      for (const { id, drain } of rows.devices.values())
        if (drain?.ended_at === null && registry.get(id)?.isOwn === true) void this.look(id);
      this.later();
    });
  }

  private async look(id: number): Promise<void> {
    if (this.looking.has(id)) return;
    this.looking.add(id);
    const { store, clock, log } = this.deps;
    await store
      .tx((tx) => this.advance(tx, id, toIso(clock.now())))
      .catch((error: unknown) => log.warn({ err: error, deviceId: id }, 'A Device could not be emptied further'))
      .finally(() => this.looking.delete(id));
  }

  private advance(tx: Tx, id: number, now: string): void {
    const device = tx.get('devices', id);
    if (device?.drain === undefined || noteDrained(tx, device, now)) return;
    moveAll(tx, now, { deviceId: id, by: device.drain.by }, this.orderMove, (run) => isDue(run, now));
  }
}

function isDue({ moved }: Readonly<Run>, now: string): boolean {
  return moved === undefined || moved.error === null || Date.parse(now) - Date.parse(moved.at) >= AGAIN_MS;
}

/** Orders the moves of all that is on air there; answers those that stay, with the reason. */
export function moveAll(
  tx: Tx,
  now: string,
  { deviceId, by }: { deviceId: number; by: string },
  orderMove: MoveControl['orderMove'],
  isWanted: (run: Readonly<Run>) => boolean = () => true,
): StayingRun[] {
  const wanted = runsToMove(tx, deviceId).filter(
    (run) => run.deviceId === deviceId && run.move == null && isWanted(run),
  );
  // Where room is short, it goes to who is first.
  return firstToReturn(tx, wanted).flatMap((run) => {
    try {
      orderMove(tx, now, { livestreamId: run.id, by });
      return [];
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return [{ livestreamId: run.id, code: error.code, message: error.message }];
    }
  });
}
