/** Fetches pictures for all viewers: whoever wants the same one at about the same time gets the same. */
import type { Clock } from '../../domain/time/clock.ts';
import type { Control } from '../../domain/ports/control.ts';
import type { LivePicture, PictureWidth } from '../../domain/shapes/broadcasts/live-picture.ts';

/** A stream that gives no picture (it is off, its Device does not answer) is asked again after this. */
const RETRY_MS = 1000;
/** Pictures that nobody has wanted for so long are forgotten. */
const FORGET_MS = 5000;

interface Fetched {
  picture: LivePicture | undefined;
  at: number;
}

export class PictureSource {
  private readonly control: Pick<Control, 'picture'>;
  private readonly fetched = new Map<string, Fetched>();
  private readonly underWay = new Map<string, Promise<LivePicture | undefined>>();
  private readonly clock: Pick<Clock, 'now'>;
  private sweptAt: number;

  constructor(control: Pick<Control, 'picture'>, clock: Pick<Clock, 'now'>) {
    this.control = control;
    this.clock = clock;
    this.sweptAt = clock.now();
  }

  /** Resolves with a picture that was fetched no longer ago than `maxAgeMs`; undefined when there is none. */
  async newest(livestreamId: number, width: PictureWidth, maxAgeMs: number): Promise<LivePicture | undefined> {
    const key = `${livestreamId}:${width}`;
    const known = this.fetched.get(key);
    const ageMs = known === undefined ? Infinity : this.clock.now() - known.at;
    if (known?.picture !== undefined && ageMs <= maxAgeMs) return known.picture;
    if (known !== undefined && known.picture === undefined && ageMs < RETRY_MS) return undefined;
    const present = this.underWay.get(key);
    if (present !== undefined) return present;
    const task = this.fetch(key, livestreamId, width).finally(() => this.underWay.delete(key));
    this.underWay.set(key, task);
    return task;
  }

  private async fetch(key: string, livestreamId: number, width: PictureWidth): Promise<LivePicture | undefined> {
    const at = this.clock.now();
    // Why there is none is said by the feed and by the status: here it only means that nothing is sent.
    const picture = await this.control.picture(livestreamId, width).catch(() => undefined);
    this.fetched.set(key, { picture, at });
    this.sweep();
    return picture;
  }

  private sweep(): void {
    const now = this.clock.now();
    if (now - this.sweptAt < FORGET_MS) return;
    this.sweptAt = now;
    for (const [key, { at }] of this.fetched) if (now - at > FORGET_MS) this.fetched.delete(key);
  }
}
