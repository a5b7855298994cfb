/**
 * The push process: it listens for the encoders that call this Device, and has their media ready for whoever reads it. It is detached from
 * the agent that started it; agents, runners and control planes may end and come back while encoders stay connected.
 */
import { existsSync, mkdirSync, rmSync, writeSync } from 'node:fs';
import { readJson, writeAtomic } from '../atomic-file.ts';
import { boundLog } from '../log-file.ts';
import { bootId, identify, isAlive } from '../process.ts';
import { systemClock, toIso } from '../../domain/time/clock.ts';
import type { Log } from '../../domain/base/log.ts';
import { collectSeldom } from '../media/units/seldom-collected.ts';
import { Listeners } from './listeners.ts';
import { openMediaSocket } from './media-socket.ts';
import { PushApi } from './push-api.ts';
import { PushEvents } from './push-events.ts';
import { pushFiles, type PushFiles, type PushOrders, type PushRecord } from './push-paths.ts';

/** Bitrates are counted, and watchers hear that this process lives. */
const SECOND_MS = 1000;

/** Runs until a signal. Rejects when another push process serves the folder. */
export async function runPush(deviceDir: string): Promise<void> {
  collectSeldom();
  // The folder holds stream keys: nobody else may read the files of this process.
  process.umask(0o077);
  // The process is detached: the end of a terminal or of a log pipe is no reason to cut connections.
  process.on('SIGHUP', () => undefined);
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  const files = pushFiles(deviceDir);
  mkdirSync(files.dir, { recursive: true, mode: 0o700 });
  boundLog(files.log);
  const earlier = readJson(files.record) as PushRecord | undefined;
  if (earlier?.bootId === bootId() && isAlive(earlier.pid, earlier.startTicks))
    throw new Error(`Process ${earlier.pid} listens for the encoders of this Device already.`);

  const startTicks = identify(process.pid)?.startTicks ?? 0;
  const events = new PushEvents();
  const log = stderrLog();
  const listeners = new Listeners(
    {
      onChange: () => api.changed(),
      onEvent: (channelId, parts) => {
        api.event(events.add(channelId, parts));
        note(files, listeners, startTicks, log);
      },
    },
    log,
  );
  const api = new PushApi({
    reports: () => listeners.intakes.map(({ report }) => report),
    events: () => events.all,
    apply: (orders) => listeners.apply(orders),
  });
  const orders = readJson(files.orders) as PushOrders | undefined;
  for (const { channelId, from } of earlier?.receiving ?? []) {
    const name = orders?.orders.find((order) => order.channelId === channelId)?.name ?? channelId;
    const message = `The encoder at ${from} was disconnected from Channel "${name}", for the push process was restarted; it has to connect again.`;
    events.add(channelId, { kind: 'ingest_ended', severity: 'warning', message, data: { from } });
  }
  note(files, listeners, startTicks, log);
  if (orders !== undefined) listeners.apply(orders);
  await api.open(files.control);
  await openMediaSocket(files.media, (channelId) => listeners.find(channelId));
  const end = (): never => {
    listeners.close();
    for (const path of [files.record, files.control, files.media]) rmSync(path, { force: true });
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, end);
  setInterval(() => {
    // A Device whose folder was removed has nobody that could end this process.
    if (!existsSync(files.control)) end();
    for (const intake of listeners.intakes) intake.countSecond();
    if (listeners.intakes.some(({ isReceiving }) => isReceiving)) api.changed();
    api.heartbeat();
  }, SECOND_MS);
  log.info({ pid: process.pid, listeners: listeners.intakes.length }, 'The push process is ready.');
}

function note(files: PushFiles, listeners: Listeners, startTicks: number, log: Log): void {
  const receiving = listeners.intakes.flatMap(({ report: { channelId, from } }) =>
    from === null ? [] : [{ channelId, from }],
  );
  const record: PushRecord = { pid: process.pid, startTicks, bootId: bootId(), takesTls: true, receiving };
  try {
    writeAtomic(files.record, JSON.stringify(record));
  } catch (error) {
    // A full disk takes nothing more, but encoders that are connected have to be listened to.
    log.warn({ reason: (error as Error).message }, 'The push process could not be written down.');
  }
}

/** One JSON object a line; a logger of many functions would double the memory of this process. */
function stderrLog(): Log {
  const write =
    (level: string) =>
    (facts: object, msg: string): void => {
      try {
        writeSync(2, `${JSON.stringify({ level, time: toIso(systemClock.now()), ...facts, msg })}\n`);
      } catch {
        // A closed stderr or a full disk must not end connections.
      }
    };
  return { info: write('info'), warn: write('warn'), error: write('error') };
}
