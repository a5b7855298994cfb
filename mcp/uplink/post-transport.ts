/**
 * Requests as POSTs, each with its own answer: a JSON document, or a stream of server-sent events that ends with it. A cancellation is a
 * POST too.
 */
import type { Agent, ClientRequest, IncomingMessage, RequestOptions as HttpOptions } from 'node:http';
import type { ToolCall } from '../calls/session.ts';
import {
  replyOf,
  reportProgress,
  SILENCE_MS,
  type RpcMessage,
  type ServerAddress,
  type Transport,
} from './transport.ts';

/** A server closes an idle connection after 5 s (Node). The shorter time keeps requests off connections that are being closed. */
const IDLE_MS = 4000;

export function openPosts({ url, headers: own, trust, assertTrusted }: ServerAddress): Transport {
  const post = createPost(trust);
  // The server finds the call of a cancellation by this id and the id of the request.
  const session = { 'mcp-session-id': crypto.randomUUID() };
  const types = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const headers = { ...own, ...session, ...types };
  const send = async (message: object): ReturnType<Post> => {
    // Any POST may open a connection, and another program may have the port by then.
    await assertTrusted?.();
    return post(url, headers, JSON.stringify({ jsonrpc: '2.0', ...message }));
  };
  let lastId = 0;
  return {
    async request(request, { signal, progress }) {
      const id = (lastId += 1);
      // A server that is away has nothing to cancel.
      const cancel = (): void =>
        void send({ method: 'notifications/cancelled', params: { requestId: id } }).then(
          (response) => response.resume(),
          () => undefined,
        );
      signal?.addEventListener('abort', cancel, { once: true });
      try {
        return replyOf(await messageOf(await send({ id, ...request }), progress));
      } finally {
        signal?.removeEventListener('abort', cancel);
      }
    },
  };
}

interface Client {
  agent: Agent;
  request(url: URL, options: HttpOptions, onResponse: (response: IncomingMessage) => void): ClientRequest;
}

/** Rejects when there is no way to the server, or when the server closes the connection before it answers. */
type Post = (url: URL, headers: Readonly<Record<string, string>>, body: string) => Promise<IncomingMessage>;

/** Posts over connections that are kept, with Node's own client, because a fetch takes three times its CPU. */
function createPost(trust: ServerAddress['trust']): Post {
  const clients = new Map<string, Promise<Client>>();
  return async (url, headers, body) => {
    const client = clients.get(url.protocol) ?? loadClient(url.protocol, trust);
    clients.set(url.protocol, client);
    const { agent, request } = await client;
    return new Promise((resolve, reject) => {
      const length = { 'content-length': String(Buffer.byteLength(body)) };
      const options = { method: 'POST', agent, headers: { ...headers, ...length }, timeout: SILENCE_MS };
      const outgoing = request(url, options, resolve);
      outgoing.once('error', reject);
      outgoing.once('timeout', () =>
        outgoing.destroy(new Error(`Nothing came from the server for ${SILENCE_MS / 1000} s.`)),
      );
      outgoing.end(body);
    });
  };
}

/** The client is loaded with the first POST, because the greeting is answered without it. */
async function loadClient(protocol: string, trust: ServerAddress['trust']): Promise<Client> {
  const { Agent, request } = protocol === 'https:' ? await import('node:https') : await import('node:http');
  return { agent: new Agent({ ...trust, keepAlive: true, timeout: IDLE_MS }), request };
}

/** Rejects when the answer is cut off or is no JSON. */
async function messageOf(response: IncomingMessage, progress: ToolCall['progress']): Promise<RpcMessage> {
  if (!response.headers['content-type']?.startsWith('text/event-stream')) return documentOf(response);
  for await (const message of eventsOf(response)) {
    if (message.method === 'notifications/progress') reportProgress(message, progress);
    else if (message.id !== undefined) return message;
  }
  throw new TypeError('The stream of the answer ended before the answer.');
}

/** Reads by events, because an iterator over the stream costs a tenth of the call. */
function documentOf(response: IncomingMessage): Promise<RpcMessage> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.once('error', reject);
    response.once('end', () => {
      try {
        resolve(JSON.parse(Buffer.concat(chunks).toString('utf8')) as RpcMessage);
      } catch (error) {
        reject(error as Error);
      }
    });
  });
}

/** The data of server-sent events (WHATWG HTML §9.2); our server writes each event as one line of JSON. */
export async function* eventsOf<T = RpcMessage>(body: AsyncIterable<Uint8Array>): AsyncGenerator<T> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.startsWith('data: ')) yield JSON.parse(line.slice(6)) as T;
  }
}
