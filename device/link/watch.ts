/** Follows an agent's own messages over one connection after the other. */
import { ChangeSignal } from '../../domain/base/change-signal.ts';
import type { Clock } from '../../domain/time/clock.ts';
import type { DeviceMessage } from '../../domain/ports/device-link.ts';
import { readMessage } from '../../domain/reported/messages.ts';
import { NotUnderstood } from '../../domain/reported/fields.ts';
import type { Log } from '../../domain/base/log.ts';
import { isFinal } from '../agent/runs/own-reports.ts';
import { followLines, LINE_TOO_LONG, type Wire } from '../socket-http.ts';

/** The agent sends something every second. */
const SILENCE_MS = 4000;
const RECONNECT_FIRST_MS = 100;
const RECONNECT_LAST_MS = 1000;
/** The pause after nonsense, which doubles while there is more of it. */
const NONSENSE_FIRST_MS = 1000;
const NONSENSE_LAST_MS = 60_000;
/** No Device keeps so many runs that are over. */
const MAX_OVER = 20_000;

interface WatchOptions {
  socket: Wire;
  log: Log;
  clock: Clock;
  onMessage: (message: DeviceMessage) => void;
  onState: (online: boolean, reason?: string) => void;
}

/** One followed `/watch`, which is connected again whenever it breaks. */
export class Watch {
  private readonly options: WatchOptions;
  /** Runs whose last report has come through. */
  private readonly over = new Set<string>();
  private readonly reported = new ChangeSignal();
  private online: boolean | undefined;
  private pauseMs = RECONNECT_FIRST_MS;
  private nonsensePauseMs = NONSENSE_FIRST_MS;
  private openedAt = 0;
  /** An unknown kind of message is logged once. */
  private hasSkipped = false;
  private ended = false;
  private leave: () => void = () => undefined;

  constructor(options: WatchOptions) {
    this.options = options;
    this.connect();
  }

  end(): void {
    this.ended = true;
    this.leave();
  }

  /**
   * It is called before the run is stopped. The returned function waits for at most `boundMs`, and not at all while the watch is broken.
   */
  lastReport(runId: string): (boundMs: number) => Promise<void> {
    const isOver = (): boolean => this.over.has(runId) || this.online !== true || this.ended;
    return async (boundMs) => {
      await this.reported.until(isOver, { clock: this.options.clock, timeoutMs: boundMs });
    };
  }

  private connect(): void {
    const { socket, clock } = this.options;
    this.leave = followLines({
      socket,
      path: '/watch',
      silenceMs: SILENCE_MS,
      onOpen: () => {
        this.pauseMs = RECONNECT_FIRST_MS;
        this.openedAt = clock.now();
        this.tellState(true);
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
    this.tellState(false, reason);
    this.reported.notify();
    this.leave = this.options.clock.after(pauseMs, () => this.connect());
  }

  private tellState(online: boolean, reason?: string): void {
    if (this.online === online || this.ended) return;
    this.online = online;
    try {
      this.options.onState(online, reason);
    } catch (error) {
      this.options.log.error({ err: error }, 'The state of a Device could not be taken.');
    }
  }

  /** Whatever a line brings about costs this link and no more. */
  private take(line: string): void {
    if (this.ended) return;
    try {
      const message = readMessage(line);
      if (message !== undefined) this.pass(message);
      else if (!this.hasSkipped) {
        this.hasSkipped = true;
        this.options.log.warn(
          { line: line.slice(0, 200) },
          'The Device agent says what this server does not take from it; that is skipped.',
        );
      }
    } catch (error) {
      this.refuse(error);
    }
  }

  private pass(message: DeviceMessage): void {
    this.options.onMessage(message);
    if (message.type === 'gone') this.over.delete(message.runId);
    if (message.type === 'report' && isFinal(message.report)) {
      if (this.over.size >= MAX_OVER) this.over.clear();
      this.over.add(message.report.runId);
      this.reported.notify();
    }
  }

  private refuse(error: unknown): void {
    const { log, clock } = this.options;
    this.leave();
    if (clock.now() - this.openedAt > NONSENSE_LAST_MS) this.nonsensePauseMs = NONSENSE_FIRST_MS;
    const pauseMs = this.nonsensePauseMs;
    this.nonsensePauseMs = Math.min(pauseMs * 2, NONSENSE_LAST_MS);
    const isNonsense = error instanceof NotUnderstood;
    const reason = isNonsense ? `It says what no Device says (${error.message}).` : 'What it says could not be taken.';
    log.warn(isNonsense ? { reason } : { err: error }, 'The link to a Device agent is closed, and opened again later.');
    this.close(reason, pauseMs);
  }
}
