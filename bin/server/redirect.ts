/** The port of plain HTTP beside one of TLS: it answers where the same path is over TLS, and nothing else. */
import { createServer } from 'node:http';
import { AppError } from '../../domain/base/errors.ts';
import { BACKLOG, Connections, STRANGERS, useByBytes } from '../../device/connections.ts';

/** A request for a redirect is a head of some hundred bytes, and no second one follows on its connection. */
const OPTIONS = { headersTimeout: 10_000, requestTimeout: 10_000, keepAliveTimeout: 1 };
const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/iu;

export interface RedirectOptions {
  host: string;
  port: number;
  /** The server over TLS: the address for clients that name no host, and its port. */
  url: string;
  /** ONAIR_PUBLIC_URL: where every client is sent, if it is set. */
  publicUrl?: string | undefined;
}

/** Resolves with a function that closes the port. Rejects with AppError unavailable when the port cannot be had. */
export function openRedirect({ host, port, url, publicUrl }: RedirectOptions): Promise<() => void> {
  const named = publicUrl?.startsWith('https:') === true ? publicUrl : undefined;
  const server = createServer(OPTIONS, ({ url: path = '/', headers }, response) => {
    const to = new URL(named ?? url);
    // The name is the client's own, which the certificate is for; a port stands in the place of this one.
    if (named === undefined && HOST.test(headers.host ?? '')) to.hostname = new URL(`http://${headers.host}`).hostname;
    const location = `${to.origin}${path.startsWith('/') ? path : '/'}`;
    response.writeHead(308, { location, 'content-length': 0, connection: 'close' }).end();
  });
  const strangers = new Connections({
    limits: STRANGERS,
    addressOf: ({ remoteAddress }) => remoteAddress ?? '',
    useOf: useByBytes,
  });
  server.on('connection', (socket) => {
    if (!strangers.enter(socket)) socket.destroy();
  });
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const why =
        cause.code === 'EADDRINUSE'
          ? `is taken; choose another with ONAIR_HTTP_PORT`
          : `cannot be had: ${cause.message}`;
      reject(
        new AppError('unavailable', `Port ${port} on ${host}, which is to redirect plain HTTP, ${why}.`, {
          cause,
          remedy: 'Give it a port that is free and that this user may have.',
        }),
      );
    });
    server.listen({ port, host, backlog: BACKLOG }, () =>
      resolve(() => {
        server.close();
        server.closeAllConnections();
      }),
    );
  });
}
