/** An encoder that has taken the place of another one, until it is known what viewers have lost by that. */
import { ended } from '../../../domain/base/sentence.ts';
import type { EventLog } from '../process/event-log.ts';

/** A successor has caught up within this; what one leaves out later, it leaves out because it is too slow. */
const CATCH_UP_MS = 3000;

export class Replacement {
  private readonly reason: string;
  private readonly lastMediaAt: number;
  /** Instant of performance.now() of the successor's first media. */
  private answeredAt: number | undefined;

  /** `lastMediaAt` is the instant of performance.now() of the last media of the one before. */
  constructor(reason: string, lastMediaAt: number) {
    this.reason = reason;
    this.lastMediaAt = lastMediaAt;
  }

  /** The successor has given media. */
  answered(now: number): void {
    this.answeredAt ??= now;
  }

  /** All that is lost is lost by now. */
  isOver(now: number, hasCaughtUp: boolean): boolean {
    const { answeredAt } = this;
    return answeredAt !== undefined && (hasCaughtUp || now - answeredAt > CATCH_UP_MS);
  }

  /** A successor that has given nothing has no gap yet. `lostPictures` are those of the gap. */
  report(events: EventLog, { hadMedia, restarts, lostPictures }: Outcome): void {
    const { answeredAt, lastMediaAt } = this;
    const gapMs = hadMedia && answeredAt !== undefined ? answeredAt - lastMediaAt : undefined;
    const gapSeconds = gapMs === undefined ? null : Number((gapMs / 1000).toFixed(3));
    const outcome =
      gapSeconds === null
        ? 'It was restarted.'
        : `Its successor was on air ${gapSeconds.toFixed(2)} s after its last picture; pictures lost: ${lostPictures}.`;
    const since = gapMs === undefined ? {} : { since: events.instantAgo(performance.now() - lastMediaAt) };
    const data = { restarts, gapSeconds, lostPictures, ...since };
    events.add('encoder_restarted', 'warning', `${ended(this.reason)} ${outcome}`, data);
  }
}

interface Outcome {
  /** Viewers have had something of the encoder before. */
  hadMedia: boolean;
  restarts: number;
  lostPictures: number;
}
