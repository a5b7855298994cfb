/**
 * Stores what Devices tell. All that comes of one Device while a commit is under way, and in the tenth of a second behind it, is one
 * commit, in the order in which it came; the first after a pause is stored at once. What the store refuses waits for the next attempt. A plan
 * that fails by itself is found by halving, and it alone is left out.
 */
import { AppError } from '../domain/base/errors.ts';
import type { Log } from '../domain/base/log.ts';
import type { Store, Tx } from '../domain/ports/store.ts';
import { monotonicClock, type Clock } from '../domain/time/clock.ts';

export interface DeviceCommitsDeps {
  store: Pick<Store, 'tx'>;
  log: Log;
  /** Left out: one that is never set. */
  steady?: Clock;
}

/** One thing that a Device tells. */
export interface DeviceEntry<T = unknown> {
  /** Names it among all of its Device, whenever it is told again. */
  key: string;
  /** See Store.tx. */
  plan(tx: Tx): T;
  /** Called with the answer of the plan once it is in the store. */
  onStored?(answer: T): void;
}

const GATHER_MS = 100;
const RETRY_MS = 1000;
/** One plan blocks the event loop for milliseconds then. */
const MAX_TOGETHER = 500;

/** Things of one Device that wait for the same turn. */
export class Turn {
  /** More may be added. */
  isOpen = true;
  /** They may be stored. */
  hasCome = false;
  /** Somebody waits for them. */
  isUrgent = false;
  /** Resolves once each of them was tried. */
  readonly over: Promise<void>;
  end!: () => void;

  constructor() {
    this.over = new Promise((resolve) => (this.end = resolve));
  }
}

type Waiting = DeviceEntry & { turn: Turn };

interface Place {
  id: number;
  /** Entries by their keys, in the order in which they came. One that comes again while it waits is the same. */
  waiting: Map<string, Waiting>;
  /** When the next commit is due. */
  dueAt: number;
  /** Ends the wait for it. */
  cancel: (() => void) | undefined;
  isRefused: boolean;
  /** The end of the last attempt. */
  last: Promise<unknown>;
  attempts: number;
}

export class DeviceCommits {
  private readonly deps: DeviceCommitsDeps;
  private readonly steady: Clock;
  private readonly places = new Map<number, Place>();
  private isClosed = false;

  constructor(deps: DeviceCommitsDeps) {
    this.deps = deps;
    this.steady = deps.steady ?? monotonicClock;
  }

  /** Its Device tells again all that waits. */
  close(): void {
    this.isClosed = true;
    for (const { cancel, waiting } of this.places.values()) {
      cancel?.();
      for (const { turn } of waiting.values()) turn.end();
    }
  }

  isWaiting(placeId: number, key: string): boolean {
    return this.places.get(placeId)?.waiting.has(key) === true;
  }

  /** Stores it soon. */
  add<T>(placeId: number, entry: DeviceEntry<T>): void {
    if (this.isWaiting(placeId, entry.key)) return;
    const turn = new Turn();
    this.addTo(turn, placeId, entry);
    void this.begin(turn, placeId);
  }

  /** Stores it once the turn has come. */
  addTo<T>(turn: Turn, placeId: number, entry: DeviceEntry<T>): void {
    const place = this.at(placeId);
    place.waiting.set(entry.key, { ...(entry as DeviceEntry), turn });
    if (turn.hasCome) this.look(place);
  }

  /** The turn has come: resolves once all of it was tried. */
  begin(turn: Turn, placeId: number): Promise<void> {
    turn.hasCome = true;
    if (turn.isUrgent) this.storeSoon(placeId);
    else this.look(this.at(placeId));
    return turn.over;
  }

  /** Nothing is added to the turn any more, and somebody waits for it. */
  endPause(turn: Turn, placeId: number): void {
    turn.isOpen = false;
    turn.isUrgent = true;
    if (turn.hasCome) this.storeSoon(placeId);
  }

  /** Stores what the Device has told and whose turn has come. Rejects where the store refuses it. */
  async settle(placeId: number): Promise<void> {
    const place = this.places.get(placeId);
    if (place !== undefined && place.waiting.size > 0) await this.attempt(place);
  }

  private storeSoon(placeId: number): void {
    // What the store has refused is logged, and tried again, where it is committed.
    this.settle(placeId).catch(() => undefined);
  }

  private at(id: number): Place {
    let place = this.places.get(id);
    if (place === undefined) {
      const waiting = new Map<string, Waiting>();
      place = {
        id,
        waiting,
        dueAt: -Infinity,
        cancel: undefined,
        isRefused: false,
        last: Promise.resolve(),
        attempts: 0,
      };
      this.places.set(id, place);
    }
    return place;
  }

  /** While a commit is under way its end looks again. */
  private look(place: Place): void {
    if (this.isClosed || place.cancel !== undefined || place.attempts > 0 || !hasDue(place)) return;
    const pauseMs = place.dueAt - this.steady.now();
    if (pauseMs > 0) place.cancel = this.steady.after(pauseMs, () => this.storeSoon(place.id));
    else this.storeSoon(place.id);
  }

  /** Attempts follow one another. */
  private attempt(place: Place): Promise<void> {
    place.cancel?.();
    place.cancel = undefined;
    place.attempts += 1;
    const attempt = place.last.then(() => this.commit(place));
    place.last = attempt
      .catch(() => undefined)
      .then(() => {
        place.attempts -= 1;
        this.look(place);
      });
    return attempt;
  }

  private async commit(place: Place): Promise<void> {
    // What comes in the same turn of the event loop goes with it, and what has waited for the commit before.
    await new Promise((resolve) => setImmediate(resolve));
    const due = [...place.waiting.values()].filter(({ turn }) => turn.hasCome);
    if (this.isClosed || due.length === 0) return;
    for (const { turn } of due) turn.isOpen = false;
    let pauseMs = RETRY_MS;
    try {
      for (let at = 0; at < due.length; at += MAX_TOGETHER) await this.store(place, due.slice(at, at + MAX_TOGETHER));
      pauseMs = GATHER_MS;
    } catch (error) {
      if (!place.isRefused)
        this.deps.log.warn(
          { err: error, deviceId: place.id },
          'What a Device tells is not stored yet; it is tried again',
        );
      throw error;
    } finally {
      place.isRefused = pauseMs === RETRY_MS;
      place.dueAt = this.steady.now() + pauseMs;
      for (const { turn } of due) turn.end();
    }
  }

  private async store(place: Place, taken: readonly Waiting[]): Promise<void> {
    let answers: unknown[] = [];
    try {
      answers = await this.deps.store.tx((tx) => taken.map(({ plan }) => plan(tx)));
    } catch (error) {
      if (error instanceof AppError && error.code === 'unavailable') throw error;
      if (taken.length > 1) {
        const half = taken.length >> 1;
        await this.store(place, taken.slice(0, half));
        return this.store(place, taken.slice(half));
      }
      this.deps.log.error({ err: error, deviceId: place.id }, 'Something that a Device tells was not stored');
    }
    for (const { key } of taken) place.waiting.delete(key);
    answers.forEach((answer, at) => taken[at]!.onStored?.(answer));
  }
}

function hasDue({ waiting }: Place): boolean {
  for (const { turn } of waiting.values()) if (turn.hasCome) return true;
  return false;
}
