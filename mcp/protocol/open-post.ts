/** The answer to one POST of the older generation, while its requests are being answered. This file knows no SDK type. */

export interface OpenPost {
  /** A document resolves with the last reply, a stream at once. */
  readonly response: Promise<Response>;
  /** Sends a notification that belongs to one of its requests. */
  notify(notification: object): void;
  /** Adds the reply to its request number `at`. The last one completes the answer. */
  reply(at: number, message: object): void;
}

/**
 * The replies to one batch may have so many bytes, which is some twenty full lists. Beyond it a small refusal takes the place of a reply: a
 * hundred readings of the largest document would be 56 MB at once.
 */
export const MAX_BATCH_BYTES = 4 << 20;

/** Makes the refusal in place of the reply to request number `at`, for which its batch has no space. */
export type MakeRefusal = (at: number) => object;

/** Serializes each reply when it comes: all of them at once would block the event loop for too long. */
function createWriter(requests: number, makeRefusal: MakeRefusal): (reply: object, at: number) => string {
  let left = requests === 1 ? Infinity : MAX_BATCH_BYTES;
  return (reply, at) => {
    const text = isLonger(reply, left) ? undefined : JSON.stringify(reply);
    const size = text === undefined ? Infinity : Buffer.byteLength(text);
    if (text === undefined || size > left) return JSON.stringify(makeRefusal(at));
    left -= size;
    return text;
  };
}

/** Whether the strings of a reply alone are longer than the limit, so that a reply without space need not be serialized. */
function isLonger(reply: object, limit: number): boolean {
  let length = 0;
  const add = (value: unknown): boolean => {
    if (typeof value === 'string') length += value.length;
    else if (typeof value === 'object' && value !== null) return Object.values(value).some(add);
    return length > limit;
  };
  return add(reply);
}

/** Headers as a plain object, so that no Headers object is made for them. */
export type PlainHeaders = Readonly<Record<string, string>>;

/** The answer to a POST without requests: it is accepted. */
export function openAccepted(headers: PlainHeaders): OpenPost {
  const response = Promise.resolve(new Response(null, { status: 202, headers }));
  return { response, notify: () => undefined, reply: () => undefined };
}

/** Replies stand in the order of the requests, a single one without brackets. A document has no place for notifications. */
export function openDocument(requests: number, headers: PlainHeaders, makeRefusal: MakeRefusal): OpenPost {
  const write = createWriter(requests, makeRefusal);
  const replies: string[] = [];
  let missing = requests;
  let finish: (response: Response) => void;
  const response = new Promise<Response>((resolve) => (finish = resolve));
  return {
    response,
    notify: () => undefined,
    reply(at, message) {
      replies[at] = write(message, at);
      missing -= 1;
      if (missing > 0) return;
      const text = requests === 1 ? replies[0] : `[${replies.join(',')}]`;
      finish(new Response(text, { headers: { 'Content-Type': 'application/json', ...headers } }));
    },
  };
}

/** The SDK's own transport does the same: proxies and clients cut a silent stream, after half a minute at the soonest. */
const KEEP_ALIVE_MS = 15_000;
const STREAM_HEADERS = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache, no-transform',
  Connection: 'keep-alive',
  'X-Accel-Buffering': 'no',
};

/** Server-sent events (WHATWG HTML §9.2), one for each reply as it comes. Events after the client has gone are dropped. */
export function openStream(requests: number, headers: PlainHeaders, makeRefusal: MakeRefusal): OpenPost {
  const textOf = createWriter(requests, makeRefusal);
  const encoder = new TextEncoder();
  let missing = requests;
  let client: ReadableStreamDefaultController<Uint8Array> | undefined;
  const write = (text: string): void => client?.enqueue(encoder.encode(text));
  const keepAlive = setInterval(() => write(': keepalive\n\n'), KEEP_ALIVE_MS);
  const end = (): void => {
    clearInterval(keepAlive);
    client = undefined;
  };
  const body = new ReadableStream<Uint8Array>({ start: (controller) => void (client = controller), cancel: end });
  const send = (message: string): void => write(`event: message\ndata: ${message}\n\n`);
  return {
    response: Promise.resolve(new Response(body, { headers: { ...STREAM_HEADERS, ...headers } })),
    notify: (notification) => send(JSON.stringify(notification)),
    reply(at, message) {
      send(textOf(message, at));
      missing -= 1;
      if (missing > 0) return;
      client?.close();
      end();
    },
  };
}
