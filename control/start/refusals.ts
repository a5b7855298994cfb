/** Why a Device has not taken its order yet, by Live stream. */
import type { Run } from '../../domain/shapes/broadcasts/run.ts';
import type { Store } from '../../domain/ports/store.ts';
import type { DeviceRegistry } from '../device-registry.ts';
import { placeName, placeOf } from '../locations.ts';

export class Refusals {
  private readonly store: Pick<Store, 'tx'>;
  private readonly registry: Pick<DeviceRegistry, 'deviceFor'>;
  private readonly noted = new Map<number, { runId: string; reason: string }>();

  constructor({ store, registry }: { store: Pick<Store, 'tx'>; registry: Pick<DeviceRegistry, 'deviceFor'> }) {
    this.store = store;
    this.registry = registry;
  }

  note({ id, runId }: Readonly<Run>, reason: string): void {
    this.noted.set(id, { runId, reason });
  }

  forget(livestreamId: number): void {
    this.noted.delete(livestreamId);
  }

  async of(run: Readonly<Run>): Promise<string | undefined> {
    if (this.registry.deviceFor(run)?.online === false) return this.whyNotThere(run);
    const refusal = this.noted.get(run.id);
    return refusal?.runId === run.runId ? refusal.reason : undefined;
  }

  whyNotThere(run: Readonly<Run>): Promise<string> {
    return this.store.tx((tx) => `${placeName(tx, placeOf(run))} is not connected.`);
  }
}
