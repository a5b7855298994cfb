/**
 * Standing connections of `onair mcp`: HTTP once, to be let in, then one message a line both ways. Each call is authenticated and
 * answered as one by POST; it costs a quarter of it, because a request of HTTP for each is what is dear.
 */
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { bearerOf, type Auth } from '../../auth/auth.ts';
import { AppError } from '../../domain/errors.ts';
import type { KnownHosts } from '../../toolkit/input/known-hosts.ts';
import type { Log } from '../../toolkit/tool.ts';
import { viaOf } from '../../toolkit/via.ts';
import { answer, isOffered, type Connection } from '../calls/connection.ts';
import { requestIdOf } from '../protocol/http-guard.ts';
import type { Visit } from '../http.ts';
import { openLineSession, type LineRequest } from '../protocol/line-protocol.ts';
import { meantCalls, UNREADABLE_CALL, type MeantCall } from '../calls/refused-calls.ts';
import { noSuchMethod, toRpcError, type Message } from '../rpc.ts';
import { answerAsHttp, asksFor, LINES } from './upgrade.ts';
import { openWire } from '../protocol/wire.ts';

export interface ConnectionServerParts {
  auth: Auth;
  hosts: KnownHosts;
  /** Throws AppError where the headers ask for what there is not. */
  connect(visit: Visit): Connection;
  /** Counts and audits calls that are refused before they are made; answers what is told. */
  refuse(visit: Visit, calls: readonly MeantCall[], error: AppError): Promise<AppError>;
  log?: Log | undefined;
}

export interface ConnectionServer {
  listenOn(server: Server): void;
  /** Ends each connection when its calls are answered, at the latest after `withinMs`. */
  close(withinMs: number): void;
}

/** Asked of the other side when it has been silent for so long: a machine that has vanished never says so. */
const PROBE_AFTER_MS = 60_000;
const SWITCHING = `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${LINES}\r\n\r\n`;

export function createConnectionServer(parts: ConnectionServerParts): ConnectionServer {
  const open = new Map<Duplex, { finish(): void }>();

  async function take(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<boolean> {
    const headers = headersOf(request);
    if (request.method !== 'GET' || !asksFor(LINES, request) || pathOf(request) !== '/mcp') return false;
    if (!(await mayCome(parts, headers))) return false;
    request.socket.setTimeout(0).setNoDelay(true).setKeepAlive(true, PROBE_AFTER_MS);
    socket.write(SWITCHING);
    if (head.length > 0) socket.unshift(head);
    open.set(socket, speak(parts, headers, socket));
    socket.once('close', () => open.delete(socket));
    return true;
  }

  return {
    listenOn(server) {
      server.on('upgrade', (request, socket, head) => {
        // Until somebody reads: an error that nobody listens for would end the process.
        socket.on('error', () => undefined);
        void take(request, socket, head).then((isTaken) => {
          // Whoever is not let in hears why, as anybody who knocks at this URL.
          if (!isTaken) answerAsHttp(server, request, socket, head);
        });
      });
    },
    close(withinMs) {
      for (const { finish } of open.values()) finish();
      setTimeout(() => {
        for (const socket of open.keys()) socket.destroy();
      }, withinMs).unref();
    },
  };
}

async function mayCome({ auth, hosts, connect }: ConnectionServerParts, headers: Headers): Promise<boolean> {
  try {
    const visit = { headers, via: viaOf(headers, 'mcp'), requestId: requestIdOf(headers) };
    hosts.assertKnown(headers, 'http://unnamed.invalid/');
    connect({ ...visit, caller: await auth.authenticate(bearerOf(headers.get('authorization')), visit) });
    return true;
  } catch {
    return false;
  }
}

function speak(parts: ConnectionServerParts, headers: Headers, socket: Duplex): { finish(): void } {
  const bearer = bearerOf(headers.get('authorization'));
  const via = viaOf(headers, 'mcp');
  const requestId = crypto.randomUUID();
  const onNoise = (reason: string): void => parts.log?.warn({ requestId }, `skipped on a line: ${reason}`);
  const wire = openWire({
    input: socket,
    output: socket,
    requestId,
    receive: (message) => lane.receive(message),
    onNoise,
    onRefused,
  });
  const finish = (): void => void wire.settled().then(() => socket.end());
  const lane = openLineSession(answerTo, wire);

  /** The token is looked at each time: it may have been revoked since the last one, and then there is nothing to come. */
  async function visit(callId: string): Promise<Visit> {
    try {
      const caller = await parts.auth.authenticate(bearer, { via, requestId: callId });
      return { headers, caller, via, requestId: callId };
    } catch (error) {
      if (error instanceof AppError && error.code === 'unauthenticated') finish();
      throw error;
    }
  }

  async function onRefused(message: Message | undefined, error: AppError): Promise<AppError> {
    const calls = message === undefined ? UNREADABLE_CALL : meantCalls(message);
    try {
      return await parts.refuse(await visit(crypto.randomUUID()), calls, error);
    } catch (failure) {
      return failure instanceof AppError ? failure : error;
    }
  }

  async function answerTo({ id, method, ...asked }: LineRequest): Promise<string> {
    const callId = crypto.randomUUID();
    try {
      const visitor = await visit(callId);
      if (!isOffered(method)) throw noSuchMethod(callId);
      const result = await answer(parts.connect(visitor), method, { id, ...asked });
      return JSON.stringify({ result, jsonrpc: '2.0', id });
    } catch (error) {
      const { code, message, data } = toRpcError(error, callId);
      return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, data } });
    }
  }

  void wire.ended.then(finish);
  return { finish };
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let at = 0; at < rawHeaders.length; at += 2) headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '');
  return headers;
}

function pathOf({ url = '' }: IncomingMessage): string {
  return url.split('?', 1)[0] ?? '';
}
