/** The answer to one POST of the older generation, while its requests are being answered. Knows no SDK type. */

export interface OpenPost {
  /** A document once all is said, a stream at once. */
  readonly response: Promise<Response>;
  /** Sends a notification that belongs to one of its requests. */
  tell(notification: object): void;
  /** Puts in the reply to its request number `at`; with the last one the answer is whole. */
  reply(at: number, message: object): void;
}

/**
 * Bytes of the replies to one batch: some twenty full lists. Beyond, a reply is replaced by a refusal that costs nobody anything; a
 * hundred readings of the largest document would be 56 MB at once.
 */
export const MAX_BATCH_BYTES = 4 << 20;

/** Makes the refusal in place of the reply to request number `at`, which has no room in its batch. */
export type Instead = (at: number) => object;

/** Writes replies one by one, each when it is there: as one they would hold the event loop for all of their time. */
function createWriter(requests: number, instead: Instead): (reply: object, at: number) => string {
  let left = requests === 1 ? Infinity : MAX_BATCH_BYTES;
  return (reply, at) => {
    const text = isLonger(reply, left) ? undefined : JSON.stringify(reply);
    const size = text === undefined ? Infinity : Buffer.byteLength(text);
    if (text === undefined || size > left) return JSON.stringify(instead(at));
    left -= size;
    return text;
  };
}

/** Whether the texts in it alone are longer: what has no room need not be written to find out. */
function isLonger(reply: object, than: number): boolean {
  let length = 0;
  const add = (value: unknown): boolean => {
    if (typeof value === 'string') length += value.length;
    else if (typeof value === 'object' && value !== null) return Object.values(value).some(add);
    return length > than;
  };
  return add(reply);
}

/** Written as they are, so that no Headers object is made for them. */
export type PlainHeaders = Readonly<Record<string, string>>;

/** Where nothing is asked, what was sent is taken, and that is all. */
export function openNothing(headers: PlainHeaders): OpenPost {
  const response = Promise.resolve(new Response(null, { status: 202, headers }));
  return { response, tell: () => undefined, reply: () => undefined };
}

/** Replies stand in the order of the requests; a single one without brackets. Nothing can be told beside them. */
export function openDocument(requests: number, headers: PlainHeaders, instead: Instead): OpenPost {
  const write = createWriter(requests, instead);
  const replies: string[] = [];
  let missing = requests;
  let finish: (response: Response) => void;
  const response = new Promise<Response>((resolve) => (finish = resolve));
  return {
    response,
    tell: () => undefined,
    reply(at, message) {
      replies[at] = write(message, at);
      missing -= 1;
      if (missing > 0) return;
      const text = requests === 1 ? replies[0] : `[${replies.join(',')}]`;
      finish(new Response(text, { headers: { 'Content-Type': 'application/json', ...headers } }));
    },
  };
}

/** As the SDK's own transport: proxies and clients cut what is silent for longer, half a minute at the soonest. */
const KEEP_ALIVE_MS = 15_000;
const STREAM_HEADERS = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache, no-transform',
  Connection: 'keep-alive',
  'X-Accel-Buffering': 'no',
};

/** Server-sent events (WHATWG HTML §9.2), each reply as it comes. What is told after the client has gone is dropped. */
export function openStream(requests: number, headers: PlainHeaders, instead: Instead): OpenPost {
  const textOf = createWriter(requests, instead);
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
    tell: (notification) => send(JSON.stringify(notification)),
    reply(at, message) {
      send(textOf(message, at));
      missing -= 1;
      if (missing > 0) return;
      client?.close();
      end();
    },
  };
}
