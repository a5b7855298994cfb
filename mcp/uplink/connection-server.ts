/**
 * Standing connections of `onair mcp`: one HTTP request opens the connection, then each line is one message, in both directions. Each call
 * is authenticated and answered as a POST is, at a quarter of its price, because an HTTP request for each call costs the rest.
 */
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { bearerOf, type Auth } from '../../auth/auth.ts';
import { AppError } from '../../domain/errors.ts';
import type { KnownHosts } from '../../toolkit/input/known-hosts.ts';
import type { Log } from '../../domain/log.ts';
import { viaOf } from '../../toolkit/via.ts';
import { answer, isOffered, type Connection } from '../calls/connection.ts';
import type { Sender } from '../calls/session.ts';
import { requestIdOf } from '../protocol/http-guard.ts';
import { createTurns } from '../calls/turns.ts';
import { openLineSession, type LineRequest } from '../protocol/line-protocol.ts';
import { meantCalls, UNREADABLE_CALL, type MeantCall } from '../calls/refused-calls.ts';
import { noSuchMethod, toRpcError, type Message } from '../rpc.ts';
import { answerAsHttp, LINE_PROTOCOL, offers } from './upgrade.ts';
import { openWire } from '../protocol/wire.ts';

export interface ConnectionServerParts {
  auth: Auth;
  hosts: KnownHosts;
  /** Throws AppError where the headers name a profile that does not exist. */
  connect(sender: Sender): Connection;
  /** Counts and audits calls that are refused before they are made, and answers the error for their sender. */
  refuse(sender: Sender, calls: readonly MeantCall[], error: AppError): Promise<AppError>;
  log?: Log | undefined;
}

export interface ConnectionServer {
  listenOn(server: Server): void;
  /** Ends each connection when its calls are answered, at the latest after `withinMs`. */
  close(withinMs: number): void;
}

/** After so long a silence TCP probes the other side, because a machine that has vanished never says so. */
const PROBE_AFTER_MS = 60_000;
const SWITCHING = `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${LINE_PROTOCOL}\r\n\r\n`;

export function createConnectionServer(parts: ConnectionServerParts): ConnectionServer {
  const open = new Map<Duplex, { finish(): void }>();

  async function accept(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<boolean> {
    const headers = headersOf(request);
    if (request.method !== 'GET' || !offers(LINE_PROTOCOL, request) || pathOf(request) !== '/mcp') return false;
    if (!(await isAuthorized(parts, headers))) return false;
    request.socket.setTimeout(0).setNoDelay(true).setKeepAlive(true, PROBE_AFTER_MS);
    socket.write(SWITCHING);
    if (head.length > 0) socket.unshift(head);
    open.set(socket, serve(parts, headers, socket));
    socket.once('close', () => open.delete(socket));
    return true;
  }

  return {
    listenOn(server) {
      server.on('upgrade', (request, socket, head) => {
        // Nobody reads the socket yet, and an error without a listener would end the process.
        socket.on('error', () => undefined);
        void accept(request, socket, head).then((isAccepted) => {
          // An upgrade that is not authorized gets a normal HTTP error.
          if (!isAccepted) answerAsHttp(server, request, socket, head);
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

async function isAuthorized({ auth, hosts, connect }: ConnectionServerParts, headers: Headers): Promise<boolean> {
  try {
    const request = { headers, via: viaOf(headers, 'mcp'), requestId: requestIdOf(headers) };
    hosts.assertKnown(headers, 'http://unnamed.invalid/');
    connect({ ...request, caller: await auth.authenticate(bearerOf(headers.get('authorization')), request) });
    return true;
  } catch {
    // The upgrade is answered as a normal request then, whose HTTP error gives the reason.
    return false;
  }
}

function serve(parts: ConnectionServerParts, headers: Headers, socket: Duplex): { finish(): void } {
  const bearer = bearerOf(headers.get('authorization'));
  const via = viaOf(headers, 'mcp');
  const requestId = crypto.randomUUID();
  const onNoise = (reason: string): void => parts.log?.warn({ requestId }, `skipped on a line: ${reason}`);
  const turns = createTurns();
  const wire = openWire({
    input: socket,
    output: socket,
    requestId,
    receive: (message) => session.receive(message),
    onNoise,
    onRefused,
    isReplyExpected: () => turns.isAwaited,
  });
  const finish = (): void => void wire.settled().then(() => socket.end());
  const session = openLineSession(answerTo, wire, turns);

  /** The token is checked for each call, because it may have been revoked since the last one. Then the connection ends. */
  async function senderOf(callId: string): Promise<Sender> {
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
      return await parts.refuse(await senderOf(crypto.randomUUID()), calls, error);
    } catch (failure) {
      return failure instanceof AppError ? failure : error;
    }
  }

  async function answerTo({ method, ...request }: LineRequest): Promise<string> {
    const callId = crypto.randomUUID();
    try {
      const sender = await senderOf(callId);
      if (!isOffered(method)) throw noSuchMethod(callId);
      const result = await answer(parts.connect(sender), method, request);
      return JSON.stringify({ result, jsonrpc: '2.0', id: request.id });
    } catch (error) {
      const { code, message, data } = toRpcError(error, callId);
      return JSON.stringify({ jsonrpc: '2.0', id: request.id, error: { code, message, data } });
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
