/**
 * The progress of a call that takes its time, as server-sent events (WHATWG HTML §9.2) that end with its answer. Each event is one line of JSON:
 * `progress` with {progress, total, message}, then `answer` or `problem` with the body that the call has without events.
 */
import type { HeaderFields } from './replies.ts';

/** `done` and `total` are seconds of a wait, parts of a hundred, or bytes, as the operation counts. */
export type Report = (done: number, total: number, message: string) => void;

const STREAM_TYPE = 'text/event-stream';
/** Proxies cut a silent stream, after half a minute at the soonest. */
const KEEP_ALIVE_MS = 15_000;

export function wantsProgress({ headers }: Request): boolean {
  return headers.get('accept')?.includes(STREAM_TYPE) === true;
}

/**
 * The stream is opened by the first report: a call that is answered before it, a refusal above all, keeps the status and the headers of its
 * own response. `answer` must not reject.
 */
export function answerWithProgress(
  requestId: string,
  answer: (report: Report) => Promise<Response>,
): Promise<Response> {
  return new Promise((resolve) => {
    let stream: EventStream | undefined;
    const report: Report = (progress, total, message) => {
      if (stream === undefined) {
        stream = openStream();
        resolve(new Response(stream.body, { headers: headersOf(requestId) }));
      }
      stream.send('progress', JSON.stringify({ progress, total, message }));
    };
    void answer(report).then(async (response) => {
      if (stream === undefined) return resolve(response);
      stream.send(response.ok ? 'answer' : 'problem', await response.text());
      stream.end();
    });
  });
}

function headersOf(requestId: string): HeaderFields {
  return {
    'Content-Type': STREAM_TYPE,
    'Cache-Control': 'no-store, no-transform',
    'X-Accel-Buffering': 'no',
    'X-Request-Id': requestId,
  };
}

interface EventStream {
  readonly body: ReadableStream<Uint8Array>;
  /** Events after the client has gone are dropped. */
  send(event: string, data: string): void;
  end(): void;
}

function openStream(): EventStream {
  const encoder = new TextEncoder();
  let client: ReadableStreamDefaultController<Uint8Array> | undefined;
  const write = (text: string): void => client?.enqueue(encoder.encode(text));
  const keepAlive = setInterval(() => write(': keepalive\n\n'), KEEP_ALIVE_MS);
  const leave = (): void => {
    clearInterval(keepAlive);
    client = undefined;
  };
  return {
    body: new ReadableStream<Uint8Array>({ start: (controller) => void (client = controller), cancel: leave }),
    send: (event, data) => write(`event: ${event}\ndata: ${data}\n\n`),
    end: () => {
      client?.close();
      leave();
    },
  };
}
