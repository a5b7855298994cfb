/**
 * A store that went back, and what Devices bring to it. A Device keeps the mark of the store that it was told last: one that knows more than the store
 * is not compared with its orders, but believed; so is each Device that comes the first time after a restore.
 */
import { toIso, type Clock } from '../../domain/time/clock.ts';
import { AppError } from '../../domain/base/errors.ts';
import type { DeviceHello, DeviceLink } from '../../domain/ports/device-link.ts';
import type { Log } from '../../domain/base/log.ts';
import { compareMark, markOf, waitingRestore } from '../../domain/rules/installation/store-eras.ts';
import type { Livestream } from '../../domain/shapes/broadcasts/livestream.ts';
import type { Run } from '../../domain/shapes/broadcasts/run.ts';
import type { RunSpec } from '../../domain/shapes/broadcasts/run-spec.ts';
import { parseMark, seal, unseal, type Restored, type StoreEra } from '../../domain/shapes/installation/store-era.ts';
import type { Store, Tx, View } from '../../domain/ports/store.ts';
import type { KnownDevice } from '../device-registry.ts';
import { placeName, placeOf } from '../locations.ts';
import { takeOverRuns } from './take-over.ts';
import { openedOrder, sealedOrder, type RunOrder } from './run-order.ts';

export interface RestoredStoreDeps {
  store: Store;
  clock: Clock;
  log: Log;
  /** Seals what Devices keep; undefined before the store has rows, and then nothing is kept. */
  markKey?: (() => string | undefined) | undefined;
}

type RestoredEra = Readonly<StoreEra> & { restored: Restored };

export class RestoredStore {
  private readonly deps: RestoredStoreDeps;

  constructor(deps: RestoredStoreDeps) {
    this.deps = deps;
  }

  get key(): string | undefined {
    return this.deps.markKey?.();
  }

  /** The run has no row, and goes on until a person has acknowledged the restore. */
  async isLeftAlone(runId: string): Promise<boolean> {
    const waiting = await this.deps.store.tx((tx) => waitingRestore(tx));
    return waiting?.restored.left.includes(runId) === true;
  }

  /** The spec with its order, which the Device keeps. */
  withOrder(view: View, spec: RunSpec, livestream: Readonly<Livestream>, run: Readonly<Run>): RunSpec {
    const { key } = this;
    return key === undefined ? spec : { ...spec, order: sealedOrder(view, livestream, run, key) };
  }

  /** Takes over what the Device has, where it knows more than the store. Answers whether it did. */
  async believe(
    { id: place, link }: Pick<KnownDevice, 'id' | 'link'>,
    { mark: sealed, runs }: DeviceHello,
  ): Promise<boolean> {
    const { store, clock } = this.deps;
    const mark = this.key === undefined ? undefined : parseMark(unseal(this.key, sealed));
    const isWanted = await store.tx((tx) => this.eraFor(tx, place, mark) !== undefined);
    if (!isWanted) return false;
    const orders = await this.ordersOf(
      link,
      runs.map(({ runId }) => runId),
    );
    return store.tx((tx) => {
      const now = toIso(clock.now());
      const era = this.eraFor(tx, place, mark);
      if (era === undefined) return false;
      const { restored } = era;
      const left = [...restored.left, ...takeOverRuns(tx, { place, reports: runs, orders, restored, now })];
      tx.put('eras', { ...era, restored: { ...restored, left, places: [...restored.places, place] } });
      return true;
    });
  }

  /** A stop that was ordered before the store was copied is not carried out before its Device was asked. */
  async holdsStop(run: Readonly<Run>): Promise<boolean> {
    const waiting = await this.deps.store.tx((tx) => waitingRestore(tx));
    const place = placeOf(run);
    if (waiting === undefined || place === null) return false;
    const { stopping, places } = waiting.restored;
    return stopping.includes(run.id) && !places.includes(place);
  }

  /** The Device keeps from here on what the store is now. An agent of an earlier version does not, and nothing waits for that. */
  async tell(link: DeviceLink): Promise<void> {
    const { store, clock, log } = this.deps;
    const { key } = this;
    if (key === undefined || link.keepMark === undefined) return;
    try {
      const mark = await store.tx((tx) => markOf(tx, toIso(clock.now())));
      if (mark !== undefined) await link.keepMark(seal(key, mark));
    } catch (error) {
      if (error instanceof AppError && error.code === 'not_found') return;
      log.warn({ err: error }, 'A Device could not be told of the store: a restore may not be noticed by it.');
    }
  }

  /** The restore behind which the Device is asked for the first time. */
  private eraFor(tx: Tx, place: number, mark: ReturnType<typeof parseMark>): RestoredEra | undefined {
    const by = { name: placeName(tx, place), restored_to: null };
    const behind = mark && compareMark(tx, toIso(this.deps.clock.now()), mark, by);
    const era = behind ?? waitingRestore(tx);
    return era?.restored == null || era.restored.places.includes(place) ? undefined : (era as RestoredEra);
  }

  private async ordersOf(link: DeviceLink, runIds: readonly string[]): Promise<Map<string, RunOrder>> {
    const orders = new Map<string, RunOrder>();
    const { key } = this;
    if (key === undefined || link.order === undefined) return orders;
    for (const runId of runIds) {
      try {
        const order = openedOrder(key, await link.order(runId));
        if (order?.run.runId === runId) orders.set(runId, order);
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
      }
    }
    return orders;
  }
}
