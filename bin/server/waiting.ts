/** The server's port while the server waits for its database at the start: each caller hears so, and nothing runs yet. */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import { BACKLOG, Connections, STRANGERS, useByBytes } from '../../device/connections.ts';
import type { TlsPair } from '../../device/delivery/tls-pair.ts';
import { AppError, toProblem } from '../../domain/base/errors.ts';
import type { Log } from '../../domain/base/log.ts';
import type { Config } from '../settings/config.ts';
import { openServerStore } from '../store/store-place.ts';

const RETRY_SECONDS = 5;
const WORDS = 'The server waits for its database, which does not answer.';
/** Nothing here is more than a head of some hundred bytes. */
const OPTIONS = { headersTimeout: 10_000, requestTimeout: 10_000, keepAliveTimeout: 1 };
/** The log has the reason at first, and once a minute. */
const LOG_MS = 60_000;

/** Opens the store; while its database is not there, callers are told so at the server's port. */
export async function openWhenThere(
  config: Config,
  log: Logger,
  tls: TlsPair | undefined,
): ReturnType<typeof openServerStore> {
  const waiting = new WaitingServer(config, tls, log);
  try {
    return await openServerStore(config, log, (reason) => waiting.onWaiting(reason));
  } finally {
    await waiting.close();
  }
}

export class WaitingServer {
  private readonly deps: { config: Pick<Config, 'host' | 'port'>; tls: TlsPair | undefined; log: Log };
  private server: Server | undefined;
  private loggedAt = -Infinity;

  constructor(config: Pick<Config, 'host' | 'port'>, tls: TlsPair | undefined, log: Log) {
    this.deps = { config, tls, log };
  }

  /** The database is not there yet; `reason` is for the log alone. */
  onWaiting(reason: string): void {
    const { config, log } = this.deps;
    if (performance.now() - this.loggedAt > LOG_MS) {
      log.warn({ reason }, `${WORDS} Callers get 503 until then.`);
      this.loggedAt = performance.now();
    }
    // Nobody knows the port of a server that takes any.
    if (config.port !== 0) this.server ??= this.listen();
  }

  /** Resolves when the port is free. */
  async close(): Promise<void> {
    const { server } = this;
    if (server === undefined) return;
    await new Promise<void>((done) => {
      server.close(() => done());
      server.closeAllConnections();
    });
  }

  private listen(): Server {
    const { config, tls, log } = this.deps;
    const server = tls === undefined ? createServer(OPTIONS, answer) : createSecureServer(OPTIONS, answer);
    tls?.onPair(({ cert, key }) => (server as ReturnType<typeof createSecureServer>).setSecureContext({ cert, key }));
    // The server itself says what is wrong with its port.
    server.on('error', (error) => log.warn({ err: error }, 'Callers cannot be told that the server waits.'));
    server.on('tlsClientError', () => undefined);
    const addressOf = ({ remoteAddress }: Socket): string => remoteAddress ?? '';
    const strangers = new Connections({ limits: STRANGERS, addressOf, useOf: useByBytes });
    server.prependListener('connection', (socket: Socket) => {
      if (!strangers.enter(socket)) socket.destroy();
    });
    return server.listen({ host: config.host, port: config.port, backlog: BACKLOG });
  }
}

function answer({ url = '/' }: IncomingMessage, response: ServerResponse): void {
  const requestId = randomUUID();
  const path = url.split('?')[0];
  const write = (status: number, type: string, body: object): void => {
    const headers = { 'content-type': type, 'cache-control': 'no-store', 'x-request-id': requestId };
    const later = status === 503 ? { 'retry-after': String(RETRY_SECONDS) } : {};
    response.writeHead(status, { ...headers, ...later, connection: 'close' }).end(JSON.stringify(body));
  };
  if (path === '/healthz') return write(200, 'application/json', { status: 'ok' });
  if (path === '/readyz')
    return write(503, 'application/json', { status: 'not_ready', store: { ok: false, problem: WORDS } });
  const facts = { reason: 'database' };
  const error = new AppError('unavailable', WORDS, { retryAfterSeconds: RETRY_SECONDS, facts });
  write(503, 'application/problem+json', toProblem(error, requestId));
}
