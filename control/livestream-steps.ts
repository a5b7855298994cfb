/**
 * Steps of Live streams: those of one run one after the other, in the order in which they came, and none waits for another Live stream. Events
 * of a run that come one behind the other are one step, which is stored with all else that their Device tells.
 */
import { KeyedQueue } from '../domain/base/keyed-queue.ts';
import type { Log } from '../domain/base/log.ts';
import { Turn, type DeviceCommits, type DeviceEntry } from './device-commits.ts';

export interface LivestreamStepsDeps {
  commits: DeviceCommits;
  log: Log;
}

interface Events {
  placeId: number;
  turn: Turn;
}

export class LivestreamSteps {
  private readonly deps: LivestreamStepsDeps;
  private readonly queue = new KeyedQueue<number>();
  /** The last step of a Live stream, where that is events. */
  private readonly events = new Map<number, Events>();
  private isClosed = false;

  constructor(deps: LivestreamStepsDeps) {
    this.deps = deps;
  }

  close(): void {
    this.isClosed = true;
  }

  /** Events before it are stored without a pause. */
  add(livestreamId: number, step: () => Promise<void>): void {
    this.endEvents(livestreamId);
    this.enqueue(livestreamId, step);
  }

  addEvent(livestreamId: number, placeId: number, entry: DeviceEntry): void {
    const { commits } = this.deps;
    if (commits.isWaiting(placeId, entry.key)) return;
    const last = this.events.get(livestreamId);
    if (last?.placeId === placeId && last.turn.isOpen) return commits.addTo(last.turn, placeId, entry);
    const turn = new Turn();
    commits.addTo(turn, placeId, entry);
    const events = { placeId, turn };
    this.events.set(livestreamId, events);
    this.enqueue(livestreamId, async () => {
      await commits.begin(turn, placeId);
      if (this.events.get(livestreamId) === events) this.events.delete(livestreamId);
    });
  }

  /** Resolves when each step so far has ended. */
  async drained(livestreamId: number): Promise<void> {
    this.endEvents(livestreamId);
    await this.queue.drained(livestreamId);
  }

  private endEvents(livestreamId: number): void {
    const last = this.events.get(livestreamId);
    if (last === undefined) return;
    this.deps.commits.endPause(last.turn, last.placeId);
    this.events.delete(livestreamId);
  }

  private enqueue(livestreamId: number, step: () => Promise<void>): void {
    this.queue
      .run([livestreamId], async () => {
        if (!this.isClosed) await step();
      })
      .catch((error: unknown) => this.deps.log.error({ err: error, livestreamId }, 'reconcile step failed'));
  }
}
