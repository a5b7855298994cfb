/** The answer to one JSON-RPC request over HTTP: a JSON document, or a stream of server-sent events that ends with it. */
import type { IncomingMessage } from 'node:http';
import type { ToolCall } from '../calls/call.ts';
import { tellProgress, type RpcMessage } from './transport.ts';

/** Rejects when the answer is cut off or is no JSON. */
export async function messageOf(response: IncomingMessage, progress: ToolCall['progress']): Promise<RpcMessage> {
  if (!response.headers['content-type']?.startsWith('text/event-stream')) return documentOf(response);
  for await (const message of eventsOf(response)) {
    if (message.method === 'notifications/progress') tellProgress(message, progress);
    else if (message.id !== undefined) return message;
  }
  throw new TypeError('The stream of the answer ended before the answer.');
}

/** By events: an iterator over the stream would cost a tenth of the call. */
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

/** The data of server-sent events (WHATWG HTML §9.2); our server writes one line of JSON an event. */
export async function* eventsOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<RpcMessage> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.startsWith('data: ')) yield JSON.parse(line.slice(6)) as RpcMessage;
  }
}
