/** The last events of this process, for watchers that come later. */
import { randomUUID } from 'node:crypto';
import { systemClock, toIso } from '../../domain/time/clock.ts';
import type { IngestEvent } from '../../domain/shapes/sources/ingest.ts';

const MAX_EVENTS = 500;

export class PushEvents {
  private readonly epoch = randomUUID();
  private seq = 0;
  private events: IngestEvent[] = [];

  get all(): readonly IngestEvent[] {
    return this.events;
  }

  add(channelId: number, parts: Pick<IngestEvent, 'kind' | 'severity' | 'message' | 'data'>): IngestEvent {
    this.seq += 1;
    const event = { epoch: this.epoch, seq: this.seq, at: toIso(systemClock.now()), channelId, ...parts };
    this.events = [...this.events.slice(1 - MAX_EVENTS), event];
    return event;
  }
}
