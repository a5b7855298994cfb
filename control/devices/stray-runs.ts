/** Runs of a Device that have no order: they are ended and forgotten there. */
import type { Clock } from '../../domain/time/clock.ts';
import { KeyedQueue } from '../../domain/base/keyed-queue.ts';
import type { Log } from '../../domain/base/log.ts';
import type { RunReport } from '../../domain/shapes/broadcasts/run.ts';
import type { Store } from '../../domain/ports/store.ts';
import type { DeviceRegistry, KnownDevice } from '../device-registry.ts';
import { endRun } from '../run-moves.ts';

export interface StrayDeps {
  store: Store;
  clock: Clock;
  registry: Pick<DeviceRegistry, 'dropReport'>;
  /** Whether a run waits for a person after a restore. */
  restored: { isLeftAlone(runId: string): Promise<boolean> };
  log: Log;
}

type Named = Pick<RunReport, 'runId' | 'livestreamId'>;

/** They report each second; those beyond are looked at when others are through. */
const MAX_WAITING = 1000;

export class StrayRuns {
  private readonly deps: StrayDeps;
  /** One after the other on each Device. */
  private readonly queue = new KeyedQueue<number>();
  private readonly waiting = new Map<number, Set<string>>();

  constructor(deps: StrayDeps) {
    this.deps = deps;
  }

  /** The Live stream that the Device names may be another's: no step of it waits for this. */
  clearLater(device: KnownDevice, run: Named, isOrdered: () => Promise<boolean>): void {
    const waiting = this.waiting.get(device.id) ?? new Set();
    this.waiting.set(device.id, waiting);
    if (waiting.has(run.runId) || waiting.size >= MAX_WAITING) return;
    waiting.add(run.runId);
    this.queue
      .run([device.id], async () => {
        waiting.delete(run.runId);
        if (!(await isOrdered())) await this.clear(device, run);
      })
      .catch((error: unknown) =>
        this.deps.log.warn({ err: error, deviceId: device.id }, 'a run without an order could not be looked at'),
      );
  }

  /** Before the comparison it is not known whether the Device or the store knows more; a run that waits for a person goes on. */
  async clear(device: KnownDevice, run: Named): Promise<void> {
    if (device.isCompared !== true || (await this.deps.restored.isLeftAlone(run.runId))) return;
    await this.end(device, run);
  }

  async end(device: KnownDevice, { runId, livestreamId }: Named): Promise<void> {
    try {
      await device.link.stop(runId);
      await this.forget(device, runId);
      await endRun(this.deps, { runId, livestreamId }, device.id);
    } catch (error) {
      this.deps.log.warn({ err: error, runId }, 'a run without an order could not be ended yet');
    }
  }

  async forget(device: KnownDevice, runId: string): Promise<void> {
    await device.link.forget(runId);
    this.deps.registry.dropReport(runId, device.id);
  }
}
