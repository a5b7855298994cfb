/** A loopback proxy that adds the bearer token, for clients that cannot send one. Everything else passes as it is, Host and Origin too. */
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface TokenProxy {
  url: string;
  close(): void;
}

export async function startTokenProxy(target: string, token: string): Promise<TokenProxy> {
  const { hostname, port } = new URL(target);
  const server = createServer((question, reply) => {
    const headers = { ...question.headers, authorization: `Bearer ${token}` };
    const { url: path, method } = question;
    const forwarded = request({ hostname, port, path, method, headers, agent: false }, (answer) => {
      reply.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(reply);
    });
    forwarded.on('error', () => reply.destroy());
    // A stream that its reader leaves is over for the server too.
    reply.once('close', () => forwarded.destroy());
    question.pipe(forwarded);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
