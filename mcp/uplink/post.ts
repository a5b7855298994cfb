/** A POST over connections that are kept. By Node's own client, because a fetch takes three times the CPU of it. */
import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from 'node:http';

/** Shorter than a server keeps an idle connection (5 s in Node), so that no request goes out on one that is being closed. */
const IDLE_MS = 4000;

interface Client {
  agent: Agent;
  request(url: URL, options: RequestOptions, answered: (response: IncomingMessage) => void): ClientRequest;
}

export interface Sending {
  headers: Readonly<Record<string, string>>;
  body: string;
  /** Nothing heard for so long: the connection is given up. */
  silenceMs: number;
}

export type Post = (url: URL, sending: Sending) => Promise<IncomingMessage>;

/** Rejects when there is no way to the server, or it closes the connection before it answers. */
export function createPost(): Post {
  const clients = new Map<string, Promise<Client>>();
  return async (url, { headers, body, silenceMs }) => {
    const client = clients.get(url.protocol) ?? load(url.protocol);
    clients.set(url.protocol, client);
    const { agent, request } = await client;
    return new Promise((resolve, reject) => {
      const length = { 'content-length': String(Buffer.byteLength(body)) };
      const options = { method: 'POST', agent, headers: { ...headers, ...length }, timeout: silenceMs };
      const sent = request(url, options, resolve);
      sent.once('error', reject);
      sent.once('timeout', () => sent.destroy(new Error(`Nothing came from the server for ${silenceMs / 1000} s.`)));
      sent.end(body);
    });
  };
}

/** With the first POST: the greeting is answered without it. */
async function load(protocol: string): Promise<Client> {
  const { Agent, request } = protocol === 'https:' ? await import('node:https') : await import('node:http');
  return { agent: new Agent({ keepAlive: true, timeout: IDLE_MS }), request };
}
