/**
 * The processes of bench/rest.bench.ts: `product` is everything a REST call passes in `onair serve`, `filled` is the same over a large store,
 * `bare` is Hono with the same answer at hand, and `load` calls one of them. Servers send their port, then their CPU time in reply to any
 * message.
 */
import { connect } from 'node:net';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { createSessions } from '../auth/sessions.ts';
import { systemClock as clock } from '../domain/time/clock.ts';
import type { StoreHealth } from '../domain/ports/store.ts';
import { createRestApp } from '../rest/app.ts';
import { fillLivestreams } from './livestream-rows.ts';
import { silentLog } from '../test/helpers/silent-log.ts';
import { openProduct } from './product.ts';

/** The requests to send to `port`, `parallel` at a time. The reply is the seconds that they took. */
export interface Load {
  port: number;
  path: string;
  token: string;
  requests: number;
  parallel: number;
}
export type Role = ['product' | 'filled', string] | ['bare', object] | ['load'];

const FILLED_ROWS = 10_000;

/** Adds `livestreams` to the one that the store has. */
async function product(token: string, livestreams: number): Promise<number> {
  const { store, dispatcher, auth, profile } = await openProduct(token);
  if (livestreams > 0) await fillLivestreams(store, livestreams);
  const sessions = createSessions({ store, clock });
  const config = { version: '0' };
  const health = (): StoreHealth => store.health();
  const app = createRestApp({ dispatcher, auth, sessions, profile, config, clock, log: silentLog, health });
  return listen(app);
}

function bare(answer: object): Promise<number> {
  const app = new Hono();
  app.get('/svcapiv2/livestreams', (c) => c.json(answer));
  app.get('/svcapiv2/livestreams/:livestreamId', (c) => c.json(answer));
  return listen(app);
}

function listen(app: Hono): Promise<number> {
  return new Promise((resolve) =>
    serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => resolve(port)),
  );
}

/** Sends over plain sockets: Node's own client costs more a request than the servers do, and would be what is measured. */
async function load({ port, path, token, requests, parallel }: Load): Promise<number> {
  const text = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\nAccept: application/json\r\n\r\n`;
  const startedMs = performance.now();
  let busy = true;
  // The client never sleeps: to wake it costs the server more than to answer it, and the slower server would pay that more often.
  const stayAwake = (): void => void (busy && setImmediate(stayAwake));
  stayAwake();
  await Promise.all(Array.from({ length: parallel }, () => sendAll(port, text, Math.floor(requests / parallel))));
  busy = false;
  return (performance.now() - startedMs) / 1000;
}

function sendAll(port: number, text: string, requests: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let left = requests;
    let received = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(text)).setNoDelay();
    socket.on('error', reject);
    // Latin-1 keeps one character a byte, so that lengths can be compared.
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      received += chunk;
      const head = received.indexOf('\r\n\r\n');
      if (head < 0) return;
      const length = Number(/content-length: (\d+)/iu.exec(received)?.[1]);
      if (received.length < head + 4 + length) return;
      if (!received.startsWith('HTTP/1.1 200')) return void socket.destroy(new Error(received.slice(0, 500)));
      received = '';
      left -= 1;
      if (left > 0) return void socket.write(text);
      socket.end();
      resolve();
    });
  });
}

function serverOf(role: Exclude<Role[0], 'load'>, setting: string & object): Promise<number> {
  if (role === 'bare') return bare(setting);
  return product(setting, role === 'filled' ? FILLED_ROWS : 0);
}

// Without this a server would live on after the benchmark.
process.once('disconnect', () => process.exit());
process.once('message', async ([role, setting]: Role) => {
  if (role === 'load') {
    process.on('message', async (order: Load) => process.send?.(await load(order)));
    process.send?.(0);
    return;
  }
  const port = await serverOf(role, setting as string & object);
  process.on('message', () => process.send?.(process.cpuUsage()));
  process.send?.(port);
});
