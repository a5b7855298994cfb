/** Follows the lines that another machine says by itself, over one connection after the other. */
import type { Clock } from '../../domain/time/clock.ts';
import type { Log } from '../../domain/base/log.ts';
import { NotUnderstood } from '../../domain/reported/fields.ts';
import { followLines, LINE_TOO_LONG, type Wire } from '../socket-http.ts';

/** The other side sends something every second. */
const SILENCE_MS = 4000;
const RECONNECT_FIRST_MS = 100;
const RECONNECT_LAST_MS = 1000;
/** The pause after nonsense, which doubles while there is more of it. */
const NONSENSE_FIRST_MS = 1000;
const NONSENSE_LAST_MS = 60_000;

export interface LineWatchOptions {
  socket: Wire;
  path: string;
  /** Names the other side in the log. */
  peer: string;
  log: Log;
  clock: Clock;
  /** It may throw: what a line brings about costs this connection and no more. */
  onLine: (line: string) => void;
  /** `reason` is set where what the other side says has closed the connection. */
  onState: (isOpen: boolean, reason?: string) => void;
}

/** One followed stream, which is connected again whenever it breaks. */
export class LineWatch {
  private readonly options: LineWatchOptions;
  private open: boolean | undefined;
  private pauseMs = RECONNECT_FIRST_MS;
  private nonsensePauseMs = NONSENSE_FIRST_MS;
  private openedAt = 0;
  private ended = false;
  private leave: () => void = () => undefined;

  constructor(options: LineWatchOptions) {
    this.options = options;
    this.connect();
  }

  get isOpen(): boolean {
    return this.open === true && !this.ended;
  }

  end(): void {
    this.ended = true;
    this.leave();
  }

  private connect(): void {
    const { socket, path, clock } = this.options;
    this.leave = followLines({
      socket,
      path,
      silenceMs: SILENCE_MS,
      onOpen: () => {
        this.pauseMs = RECONNECT_FIRST_MS;
        this.openedAt = clock.now();
        this.setOpen(true);
      },
      onLine: (line) => this.take(line),
      onClose: (reason) => {
        if (reason === LINE_TOO_LONG) return this.refuse(new NotUnderstood(reason));
        this.close(undefined, this.pauseMs);
        this.pauseMs = Math.min(this.pauseMs * 2, RECONNECT_LAST_MS);
      },
    });
  }

  private close(reason: string | undefined, pauseMs: number): void {
    if (this.ended) return;
    this.setOpen(false, reason);
    if (!this.ended) this.leave = this.options.clock.after(pauseMs, () => this.connect());
  }

  private setOpen(open: boolean, reason?: string): void {
    if (this.open === open || this.ended) return;
    this.open = open;
    try {
      this.options.onState(open, reason);
    } catch (error) {
      this.options.log.error({ err: error }, 'The state of a connection could not be taken.');
    }
  }

  private take(line: string): void {
    if (this.ended) return;
    try {
      this.options.onLine(line);
    } catch (error) {
      this.refuse(error);
    }
  }

  private refuse(error: unknown): void {
    const { log, clock, peer } = this.options;
    this.leave();
    if (clock.now() - this.openedAt > NONSENSE_LAST_MS) this.nonsensePauseMs = NONSENSE_FIRST_MS;
    const pauseMs = this.nonsensePauseMs;
    this.nonsensePauseMs = Math.min(pauseMs * 2, NONSENSE_LAST_MS);
    const isNonsense = error instanceof NotUnderstood;
    const reason = isNonsense ? `It says what no ${peer} says (${error.message}).` : 'What it says could not be taken.';
    log.warn(isNonsense ? { reason } : { err: error }, `The link to a ${peer} is closed, and opened again later.`);
    this.close(reason, pauseMs);
  }
}
