/** Begins runs once more that were on air and whose new start has come to nothing: at another Device where one takes it, else where it was. */
import { randomUUID } from 'node:crypto';
import { toIso, type Clock } from '../../domain/time/clock.ts';
import type { Log } from '../../domain/base/log.ts';
import { beginOnceMore, type NewPlace } from '../../domain/rules/broadcasts/run-again.ts';
import { fleetHeld } from '../../domain/rules/devices/fleet-hold.ts';
import type { Run } from '../../domain/shapes/broadcasts/run.ts';
import type { Store, View } from '../../domain/ports/store.ts';
import type { DeviceRegistry } from '../device-registry.ts';
import type { LivestreamSteps } from '../livestream-steps.ts';
import type { Presence } from '../devices/presence.ts';
import type { StrayRuns } from '../devices/stray-runs.ts';
import { placeFor, type Loss } from './move-lost.ts';

export interface SecondStartsDeps {
  store: Store;
  clock: Clock;
  log: Log;
  registry: Pick<DeviceRegistry, 'deviceFor'>;
  presence: Pick<Presence, 'mayStart'>;
  strays: Pick<StrayRuns, 'forget'>;
  steps: Pick<LivestreamSteps, 'add'>;
}

const RETRY_MS = 500;

export class SecondStarts {
  private readonly deps: SecondStartsDeps;

  constructor(deps: SecondStartsDeps) {
    this.deps = deps;
  }

  /** A step of the Live stream. */
  async failed(run: Readonly<Run>, why: string): Promise<void> {
    try {
      await this.beginOnceMore(run, why);
    } catch (error) {
      const { store, clock, log, steps } = this.deps;
      log.warn({ err: error, livestreamId: run.id }, 'a run that was on air could not begin once more yet');
      const retry = async (): Promise<void> => {
        const now = (await store.get('runs', run.id))?.row;
        if (now?.runId === run.runId && now.desired === 'on') await this.failed(now, why);
      };
      clock.after(RETRY_MS, () => steps.add(run.id, retry));
    }
  }

  private async beginOnceMore(run: Readonly<Run>, why: string): Promise<void> {
    const { store, clock, registry, presence, strays } = this.deps;
    const device = registry.deviceFor(run);
    // A Device that is away is compared when it is back, unless its loss moves the run before.
    if (device?.isOwn !== true || !device.online) return;
    // Two of it must not deliver, wherever the next one begins.
    await device.link.stop(run.runId);
    await strays.forget(device, run.runId);
    await store.tx((tx) => {
      const present = tx.get('runs', run.id);
      if (present?.runId !== run.runId || present.desired === 'off' || present.again === undefined) return;
      const place = placeOnceMore(tx, present, (id) => presence.mayStart(tx, id));
      beginOnceMore(tx, present, toIso(clock.now()), place, why);
    });
  }
}

function placeOnceMore(view: View, run: Readonly<Run>, isOnline: Loss['isOnline']): NewPlace {
  const { deviceId, slot, cost, work } = run;
  const here = { runId: randomUUID(), deviceId, slot, cost, ...(work && { work: [...work] }) };
  // What stays has one place, and while the fleet is held nothing changes its place.
  if (run.lease !== true || fleetHeld(view) !== undefined) return here;
  const elsewhere = placeFor(view, run, isOnline);
  return typeof elsewhere === 'string' ? here : elsewhere;
}
