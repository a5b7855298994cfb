/** The DeviceLink to an agent: over its unix socket on this machine, over a paired channel (remote-device.ts) on another. */
import { systemClock, type Clock } from '../../domain/time/clock.ts';
import { AppError } from '../../domain/base/errors.ts';
import type { DeviceLink } from '../../domain/ports/device-link.ts';
import { receivedPicture } from '../../domain/shapes/broadcasts/live-picture.ts';
import {
  curvesAnswer,
  deviceHello,
  jpegAnswer,
  keptPicturesAnswer,
  orderAnswer,
  pictureAnswer,
  probeAnswer,
  stopAnswer,
} from '../../domain/reported/answers.ts';
import { runReport } from '../../domain/reported/run-report.ts';
import { receivedKeptPicture } from '../../domain/shapes/reports/kept-pictures.ts';
import type { RunReport } from '../../domain/shapes/broadcasts/run.ts';
import type { RunSpec } from '../../domain/shapes/broadcasts/run-spec.ts';
import type { Log } from '../../domain/base/log.ts';
import { answered } from './answered.ts';
import { agentRecordings, type AgentRecordings } from './recording-link.ts';
import { Watch } from './watch.ts';
import { callSocket, keptConnections, SocketTimeout, toAppError, type Wire } from '../socket-http.ts';

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
/** An answer that is later is worth little. */
const GRANT_MS = 3000;
/** A new source has 5 s to give its first picture; then the answer has to come through. */
const CHANGE_MS = 9000;
/** The agent gives up after 4 s (device/agent/runs/ask-runner.ts). */
const PICTURE_MS = 5000;
/** The agent bounds a picture of a pushed source to 15 s, a preview to 17 s. */
const STILL_MS = 20_000;
/** The agent bounds a look at a source to 10 s. */
const PROBE_MS = 12_000;
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
        return answered('hello', deviceHello, await call('GET', '/hello', HELLO_MS));
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
      const path = `/runs/${encodeURIComponent(runId)}/stop`;
      const reply = answered('stop', stopAnswer, await call('POST', path, STOP_MS, {}));
      // The caller may forget the run next, and would lose events that the watch has not brought yet.
      if (reply?.known === true) await Promise.all(lastReports.map((wait) => wait(LAST_REPORT_MS)));
    },
    async change(runId, change, changeId) {
      const path = `/runs/${encodeURIComponent(runId)}/change`;
      return reportOf(runId, await call('POST', path, CHANGE_MS, { change, changeId }));
    },
    async preview(runId, width) {
      const path = `/runs/${encodeURIComponent(runId)}/preview?width=${width}`;
      return jpegOf(await call('GET', path, STILL_MS));
    },
    async picture(runId, width) {
      const path = `/runs/${encodeURIComponent(runId)}/picture?width=${width}`;
      return receivedPicture(answered('picture', pictureAnswer, await call('GET', path, PICTURE_MS)));
    },
    async probe(source, isOnAir) {
      return answered('probe', probeAnswer, await call('POST', '/probe', PROBE_MS, { source, isOnAir }));
    },
    async pushedPicture(source, width) {
      return jpegOf(await call('POST', '/probe/picture', STILL_MS, { source, width }));
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

function reportOf(runId: string, reply: unknown): RunReport {
  const report = answered('change', runReport, reply);
  if (report.runId === runId) return report;
  throw new AppError('upstream_failed', 'The Device agent has answered with the report of another run.');
}

/** Recordings, curves and leases, and for a store that may go back its mark and its orders. */
function keptByAgent(
  call: (
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    timeoutMs: number,
    body?: unknown,
  ) => Promise<unknown>,
): AgentRecordings & Required<Pick<DeviceLink, 'curves' | 'keptPictures' | 'keepMark' | 'order' | 'grant'>> {
  return {
    ...agentRecordings(call),
    async curves(livestreamId, { fromSeconds, toSeconds, points }) {
      const path = `/curves/${livestreamId}?from=${fromSeconds}&to=${toSeconds}&points=${points}`;
      return answered('curves', curvesAnswer, await call('GET', path, CALL_MS));
    },
    async keptPictures(livestreamId, { fromSeconds, toSeconds, most }) {
      const path = `/pictures/${livestreamId}?from=${fromSeconds}&to=${toSeconds}&most=${most}`;
      const { pictures } = answered('pictures', keptPicturesAnswer, await call('GET', path, CALL_MS));
      return pictures.map(receivedKeptPicture);
    },
    async grant(askedMs, runIds) {
      await call('POST', '/lease', GRANT_MS, { asked_ms: askedMs, run_ids: runIds });
    },
    async keepMark(mark) {
      await call('PUT', '/store-mark', CALL_MS, { mark });
    },
    async order(runId) {
      const path = `/runs/${encodeURIComponent(runId)}/order`;
      return answered('order', orderAnswer, await call('GET', path, CALL_MS)).order;
    },
  };
}

const jpegOf = (reply: unknown): Buffer => Buffer.from(answered('picture', jpegAnswer, reply).jpeg, 'base64');
