/** A real push process for a test, in the folder of a Device; it is gone after the test. */
import { spawn } from 'node:child_process';
import { mkdirSync, openSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import type { DeviceMessage } from '../../../domain/ports/device-link.ts';
import type { IngestEvent, IngestReport } from '../../../domain/shapes/sources/ingest.ts';
import type { IngestOrder } from '../../../domain/shapes/sources/ingest-order.ts';
import { RtmpPublishing } from '../../../device/media/rtmp/rtmp-publishing.ts';
import { pushedReport, readPushed } from '../../../device/push/push-reader.ts';
import { pushFiles, type PushOrders } from '../../../device/push/push-paths.ts';
import { callSocket, followLines } from '../../../device/socket-http.ts';

import { cleanUp, type TestScope } from '../../helpers/clean-up.ts';
import { programArguments } from '../../helpers/program.ts';
import { until } from '../../helpers/until.ts';

const ENTRY = programArguments(new URL('fixtures/push-entry.ts', import.meta.url));

export interface TestPush {
  pid: number;
  events: IngestEvent[];
  order(...orders: IngestOrder[]): Promise<void>;
  /** The same with a certificate. */
  orderWith(more: Pick<PushOrders, 'tls'>, ...orders: IngestOrder[]): Promise<void>;
  report(channelId: number): Promise<IngestReport>;
  /** Resolves with the bytes that a reader gets until it ends, or until it has so many. */
  read(channelId: number, bytes?: number): Promise<{ media: Buffer }>;
}

export function rtmpOrder(
  channelId: number,
  port: number,
  settings: Partial<IngestOrder['settings']> = {},
): IngestOrder {
  const known = { app: 'live', stream_key: `canary-key-${channelId}`, port };
  return { channelId, name: `Channel ${channelId}`, type: 'RTMP-Push', settings: { ...known, ...settings } };
}

/** Resolves once the process listens for these orders. */
export async function startPush(t: TestScope, deviceDir: string, ...orders: IngestOrder[]): Promise<TestPush> {
  const files = pushFiles(deviceDir);
  mkdirSync(files.dir, { recursive: true, mode: 0o700 });
  writeFileSync(files.orders, JSON.stringify({ host: '127.0.0.1', orders }), { mode: 0o600 });
  const log = openSync(files.log, 'a');
  const child = spawn(process.execPath, [...ENTRY, deviceDir], { stdio: ['ignore', log, log] });
  cleanUp(t, () => void child.kill('SIGKILL'));
  const report = async (channelId: number): Promise<IngestReport> =>
    (await pushedReport(deviceDir, channelId)) ??
    Promise.reject(new Error(`There is no listener of Channel ${channelId}.`));
  const hasAll = async (): Promise<boolean> =>
    (await Promise.all(orders.map(({ channelId }) => pushedReport(deviceDir, channelId)))).every(
      (one) => one !== undefined,
    );
  await until('the push process', hasAll);
  const give = async (more: Pick<PushOrders, 'tls'>, wanted: IngestOrder[]): Promise<void> => {
    const body: PushOrders = { host: '127.0.0.1', orders: wanted, ...more };
    await callSocket({ socket: files.control, method: 'PUT', path: '/orders', timeoutMs: 5000, body });
  };
  const events: IngestEvent[] = [];
  const onLine = (line: string): void => {
    const message = JSON.parse(line) as DeviceMessage;
    if (message.type === 'ingest_event') events.push(message.event);
  };
  cleanUp(
    t,
    followLines({ socket: files.control, path: '/watch', silenceMs: 60_000, onLine, onClose: () => undefined }),
  );
  return {
    pid: child.pid!,
    events,
    report,
    order: (...wanted) => give({}, wanted),
    orderWith: (more, ...wanted) => give(more, wanted),
    async read(channelId, bytes = Infinity) {
      const reader = readPushed(deviceDir, channelId);
      cleanUp(t, () => void reader.destroy());
      const parts: Buffer[] = [];
      for await (const part of reader as AsyncIterable<Buffer>) {
        parts.push(part);
        if (Buffer.concat(parts).length >= bytes) break;
      }
      return { media: Buffer.concat(parts) };
    },
  };
}

/** Publishes to this port; answers the words of a refusal, or undefined when it is let in with nothing to send. */
export async function publish(
  port: number,
  app: string,
  key: string,
  ...sent: [type: number, hex: string][]
): Promise<string | undefined> {
  const socket = connect(port, '127.0.0.1');
  const words = await new Promise<string | undefined>((resolve) => {
    const publishing: RtmpPublishing = new RtmpPublishing(
      { url: '', app, key },
      {
        send: (bytes) => void socket.write(bytes),
        onPublishing() {
          for (const [type, hex] of sent) publishing.media({ type, time: 0, body: Buffer.from(hex, 'hex') });
          if (sent.length === 0) resolve(undefined);
        },
        onRefused: (refusal) => resolve(refusal.words),
      },
    );
    socket.once('connect', () => publishing.start());
    socket.on('data', (bytes: Buffer) => publishing.push(bytes));
  });
  socket.destroy();
  return words;
}

/** Tells whether something accepts connections on this port of the loopback address. */
export function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}
