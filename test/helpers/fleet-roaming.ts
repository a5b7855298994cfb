/** A broadcast that changes its Device, by order and when its Device is lost, and the RTMP server that must never get it twice. */
import { setTimeout as sleep } from 'node:timers/promises';
import { goOnAir, lastEvents, statusOf } from './broadcast.ts';
import { cleanUp, type Owner } from './clean-up.ts';
import { callOnce } from './fleet-calls.ts';
import { startRtmp, type RtmpServer } from './servers/rtmp.ts';
import type { Service } from './service.ts';
import { until } from './until.ts';

export interface RoamingFigures {
  /** Moves that were ordered, and came to their end. */
  moved: number;
  /** Why others did not: the answers. */
  stayed: string[];
  /** Moves of all kinds, those of a lost Device among them, as the events have them. */
  events: number;
  /** The longest time without a picture of an ordered move, in milliseconds, as the servers have it. */
  longestGapMs: number;
  /** How many sent to the server at one moment, at most. */
  atOnce: number;
  /** Its last events where it is not on air at the end; else empty. */
  offAir: string[];
}

const KEY = 'roaming';
const CALL_MS = 90_000;
const PAUSE_MS = 200;
const TRIES = 300;

export class Roaming {
  private readonly sink: RtmpServer;
  private readonly livestreamId: number;
  private readonly url: string;
  private readonly stayed: string[] = [];
  private moved = 0;
  private longestGapMs = 0;

  private constructor(sink: RtmpServer, livestreamId: number, url: string) {
    this.sink = sink;
    this.livestreamId = livestreamId;
    this.url = url;
  }

  /** `bound` is what a Live stream is made of beside its Destination; `url` is where moves are ordered. */
  static async onAir(owner: Owner, service: Service, bound: object, url: string): Promise<Roaming> {
    const sink = await startRtmp();
    cleanUp(owner, () => sink.dispose());
    sink.keys.add(KEY);
    const settings = { url: sink.keyedUrl, stream_key: KEY };
    const publishingId = await service.create('/publishings', { name: 'platform', type: 'RTMP', settings });
    const id = await service.create('/livestreams', { name: 'Roaming', ...bound, publishingId, onDeviceLoss: 'move' });
    await goOnAir(service, id);
    return new Roaming(sink, id, url);
  }

  /** A server that is being harmed answers later; a Device that is away takes nothing. */
  async move(): Promise<void> {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const { status, body } = await callOnce(this.url, 'POST', {
        path: `/livestreams/${this.livestreamId}/move`,
        body: {},
        timeoutMs: CALL_MS,
      }).catch((error: unknown) => ({ status: 0, body: String(error) }));
      if (status === 200) {
        this.moved += 1;
        this.longestGapMs = Math.max(this.longestGapMs, body.data.gap_ms ?? 0);
        return;
      }
      const mayComeAgain = status === 0 || status === 503 || body?.retry_after_seconds !== undefined;
      if (!mayComeAgain) return void this.stayed.push(String(body?.detail));
      await sleep(PAUSE_MS);
    }
    this.stayed.push('no answer');
  }

  /** Resolves once one Device delivers it, or none has for as long as that is waited for. */
  async figures(service: Service): Promise<RoamingFigures> {
    const offAir = await until('it is on air', async () => (await statusOf(service, this.livestreamId)).status === 2)
      .then(() => until('it is published', async () => (await this.sink.publishing()).includes(KEY)))
      .then(
        () => [],
        async (error: Error) => [error.message, ...(await lastEvents(service, this.livestreamId))],
      );
    const { body } = await service.rest('GET', `/livestreams/${this.livestreamId}/events?kind=run_moved&pageSize=1`);
    const { moved, stayed, longestGapMs } = this;
    return { moved, stayed, longestGapMs, events: body.pagination.total, atOnce: this.sink.mostAtOnce(KEY), offAir };
  }
}
