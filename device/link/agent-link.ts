/** The DeviceLink to an agent: over its unix socket on this machine, over a paired channel (remote-device.ts) on another. */
import { ChangeSignal } from '../../domain/change-signal.ts';
import { systemClock, type Clock } from '../../domain/clock.ts';
import { AppError } from '../../domain/errors.ts';
import type { DeviceHello, DeviceLink, DeviceMessage } from '../../domain/device-link.ts';
import { jsonOf } from '../../domain/json.ts';
import { receivedPicture, type SentPicture } from '../../domain/live-picture.ts';
import type { DeviceProbe } from '../../domain/probe.ts';
import type { RunReport, RunSpec } from '../../domain/run.ts';
import type { Log } from '../../domain/log.ts';
import { agentRecordings, type AgentRecordings } from './recording-link.ts';
import { isFinal } from '../agent/runs/own-reports.ts';
import { callSocket, followLines, keptConnections, SocketTimeout, toAppError, type Wire } from '../socket-http.ts';

export interface DeviceClientOptions {
  socket: Wire;
  log: Log;
  clock?: Clock;
}

/** The first hello may wait for the probe of ffmpeg (device/agent/capability-probe.ts), which takes under a second as a rule. */
const HELLO_MS = 10_000;
/** The agent writes two small files, on a disk that may be slow. */
const CALL_MS = 5000;
/** The agent gives up after 8 s (device/agent/runs/supervisor.ts); its answer has to come through. */
const STOP_MS = 10_000;
/** A new source has 5 s to give its first picture; then the answer has to come through. */
const CHANGE_MS = 9000;
/** The agent gives up after 4 s (device/agent/runs/ask-runner.ts). */
const PICTURE_MS = 5000;
/** The agent bounds a look at a source to 10 s. */
const PROBE_MS = 12_000;
/** The agent sends something every second. */
const SILENCE_MS = 4000;
const MESSAGES: readonly string[] = [
  'report',
  'event',
  'gone',
  'recording',
  'ingests',
  'ingest_event',
] satisfies DeviceMessage['type'][];
const RECONNECT_FIRST_MS = 100;
const RECONNECT_LAST_MS = 1000;
/** A stop waits so long for its run's last report, which comes over another connection: that of the watch. */
const LAST_REPORT_MS = 1000;

export function connectDevice({ socket, log, clock = systemClock }: DeviceClientOptions): DeviceLink & AgentRecordings {
  const agent = keptConnections(socket);
  const watches = new Set<Watch>();

  const call = async (
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    timeoutMs: number,
    body?: unknown,
  ): Promise<unknown> => {
    let reply;
    try {
      reply = await callSocket({ socket, method, path, timeoutMs, agent, ...(body !== undefined && { body }) });
    } catch (error) {
      if (error instanceof AppError) throw error;
      if (error instanceof SocketTimeout)
        throw new AppError('timeout', `The Device agent did not answer within ${timeoutMs} ms.`, { cause: error });
      const { code = 'no answer' } = error as NodeJS.ErrnoException;
      throw new AppError('unavailable', `The Device agent does not answer (${code}).`, { cause: error });
    }
    if (reply.status >= 400) throw toAppError(reply.body);
    return reply.body;
  };

  return {
    async hello() {
      try {
        return (await call('GET', '/hello', HELLO_MS)) as DeviceHello;
      } catch (error) {
        const isLate = error instanceof AppError && error.code === 'timeout';
        throw isLate ? new AppError('unavailable', error.message, { cause: error }) : error;
      }
    },
    async start(spec: RunSpec) {
      await call('POST', '/runs', CALL_MS, { spec });
    },
    async stop(runId) {
      const lastReports = [...watches].map((watch) => watch.lastReport(runId));
      const reply = (await call('POST', `/runs/${encodeURIComponent(runId)}/stop`, STOP_MS, {})) as {
        known?: boolean;
      } | null;
      // The caller may forget the run next, and would lose events that the watch has not brought yet.
      if (reply?.known === true) await Promise.all(lastReports.map((wait) => wait(LAST_REPORT_MS)));
    },
    async change(runId, change, changeId) {
      const path = `/runs/${encodeURIComponent(runId)}/change`;
      return (await call('POST', path, CHANGE_MS, { change, changeId })) as RunReport;
    },
    async preview(runId, width) {
      const path = `/runs/${encodeURIComponent(runId)}/preview?width=${width}`;
      return jpegOf(await call('GET', path, CHANGE_MS));
    },
    async picture(runId, width) {
      const path = `/runs/${encodeURIComponent(runId)}/picture?width=${width}`;
      return receivedPicture((await call('GET', path, PICTURE_MS)) as SentPicture);
    },
    async probe(source, isOnAir) {
      return (await call('POST', '/probe', PROBE_MS, { source, isOnAir })) as DeviceProbe;
    },
    async pushedPicture(source, width) {
      return jpegOf(await call('POST', '/probe/picture', CHANGE_MS, { source, width }));
    },
    async forget(runId) {
      await call('DELETE', `/runs/${encodeURIComponent(runId)}`, CALL_MS);
    },
    async ingests(orders) {
      await call('PUT', '/ingests', CALL_MS, { ingests: orders });
    },
    watch(onMessage, onState) {
      const watch = new Watch({ socket, log, clock, onMessage, onState });
      watches.add(watch);
      return () => {
        watches.delete(watch);
        watch.end();
      };
    },
    ...keptByAgent(call),
    close: () => agent.destroy(),
  };
}

/** Recordings, and for a store that may go back its mark and its orders. */
function keptByAgent(
  call: (method: 'GET' | 'PUT' | 'DELETE', path: string, timeoutMs: number, body?: unknown) => Promise<unknown>,
): AgentRecordings & Required<Pick<DeviceLink, 'keepMark' | 'order'>> {
  return {
    ...agentRecordings(call),
    async keepMark(mark) {
      await call('PUT', '/store-mark', CALL_MS, { mark });
    },
    async order(runId) {
      return ((await call('GET', `/runs/${encodeURIComponent(runId)}/order`, CALL_MS)) as { order: string }).order;
    },
  };
}

const jpegOf = (reply: unknown): Buffer => Buffer.from((reply as { jpeg: string }).jpeg, 'base64');

interface WatchOptions {
  socket: Wire;
  log: Log;
  clock: Clock;
  onMessage: (message: DeviceMessage) => void;
  onState: (online: boolean) => void;
}

/** One followed `/watch`, which is connected again whenever it breaks. */
class Watch {
  private readonly options: WatchOptions;
  /** Runs whose last report has come through. */
  private readonly over = new Set<string>();
  private readonly reported = new ChangeSignal();
  private online: boolean | undefined;
  private pauseMs = RECONNECT_FIRST_MS;
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
    const end = followLines({
      socket,
      path: '/watch',
      silenceMs: SILENCE_MS,
      onOpen: () => {
        this.pauseMs = RECONNECT_FIRST_MS;
        this.tellState(true);
      },
      onLine: (line) => this.take(line),
      onClose: () => {
        this.tellState(false);
        this.reported.notify();
        this.leave = clock.after(this.pauseMs, () => this.connect());
        this.pauseMs = Math.min(this.pauseMs * 2, RECONNECT_LAST_MS);
      },
    });
    this.leave = end;
  }

  private tellState(online: boolean): void {
    if (this.online === online || this.ended) return;
    this.online = online;
    this.options.onState(online);
  }

  private take(line: string): void {
    const message = jsonOf(line) as DeviceMessage | undefined;
    if (message == null || !MESSAGES.includes(message.type)) {
      this.options.log.warn({ line: line.slice(0, 200) }, 'The Device agent sent a line that is no message.');
      return;
    }
    if (this.ended) return;
    this.options.onMessage(message);
    if (message.type === 'gone') this.over.delete(message.runId);
    if (message.type === 'report' && isFinal(message.report)) {
      this.over.add(message.report.runId);
      this.reported.notify();
    }
  }
}
