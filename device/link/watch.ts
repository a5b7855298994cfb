/** Follows an agent's own messages over one connection after the other. */
import { ChangeSignal } from '../../domain/base/change-signal.ts';
import type { Clock } from '../../domain/time/clock.ts';
import type { DeviceMessage } from '../../domain/ports/device-link.ts';
import { readMessage } from '../../domain/reported/messages.ts';
import { KnownReports } from '../../domain/reported/report-changes.ts';
import type { Log } from '../../domain/base/log.ts';
import { isFinal } from '../agent/runs/own-reports.ts';
import type { Wire } from '../socket-http.ts';
import { LineWatch } from './line-watch.ts';

/** No Device keeps so many runs that are over. */
const MAX_OVER = 20_000;

interface WatchOptions {
  socket: Wire;
  log: Log;
  clock: Clock;
  onMessage: (message: DeviceMessage) => void;
  onState: (online: boolean, reason?: string) => void;
}

/** One followed `/watch`. */
export class Watch {
  private readonly options: WatchOptions;
  private readonly lines: LineWatch;
  /** Runs whose last report has come through. */
  private readonly over = new Set<string>();
  private readonly reported = new ChangeSignal();
  private readonly known = new KnownReports();
  /** An unknown kind of message is logged once. */
  private hasSkipped = false;

  constructor(options: WatchOptions) {
    this.options = options;
    const { socket, log, clock, onState } = options;
    this.lines = new LineWatch({
      socket,
      // An agent of an earlier version sends whole reports.
      path: '/watch?reports=changes',
      peer: 'Device',
      log,
      clock,
      onLine: (line) => this.take(line),
      onState: (online, reason) => {
        // A connection begins with whole reports.
        this.known.clear();
        onState(online, reason);
        if (!online) this.reported.notify();
      },
    });
  }

  end(): void {
    this.lines.end();
  }

  /**
   * It is called before the run is stopped. The returned function waits for at most `boundMs`, and not at all while the watch is broken.
   */
  lastReport(runId: string): (boundMs: number) => Promise<void> {
    const isOver = (): boolean => this.over.has(runId) || !this.lines.isOpen;
    return async (boundMs) => {
      await this.reported.until(isOver, { clock: this.options.clock, timeoutMs: boundMs });
    };
  }

  private take(line: string): void {
    const read = readMessage(line);
    const message = read && this.known.take(read);
    if (message !== undefined) return this.pass(message);
    if (this.hasSkipped) return;
    this.hasSkipped = true;
    this.options.log.warn(
      { line: line.slice(0, 200) },
      'The Device agent says what this server does not take from it; that is skipped.',
    );
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
}
