/** Clients of several servers: each repeats its call under the same key until it is answered, as a careful client does. */
import { TOKEN } from './service.ts';

/** One address that a balancer has, or each server in turn, the next one after each failure. */
type Route = 'by the balancer' | 'at one server after the other';

export interface CallRecord {
  kind: 'write' | 'status';
  route: Route;
  /** The text of a write, which marks it in the store. */
  mark: string;
  /** Monotonic time of the first try. */
  beganAt: number;
  /** Whether it was acknowledged. */
  isDone: boolean;
  /** Milliseconds from the first try to the answer, or to the end of the drill. */
  tookMs: number;
}

export interface Answer {
  status: number;
  body: any;
}

interface RepeatedCall {
  method: string;
  path: string;
  body?: unknown;
  key?: string;
  timeoutMs?: number;
}

/** A server that is stopped, and not gone, answers nothing: a client asks the next one then, under the same key. */
const ANSWER_MS = 1_000;
const CALL_MS = 3_000;
const PAUSE_MS = 100;
const MAX_TRIES = 600;
/** A machine that runs much else answers later: who waits no longer then asks for ever, and makes it slower still. */
const TRIES_A_BOUND = 3;
const MAX_CALL_MS = 20_000;
/** Calls that wait at one moment: ten seconds of them. Beyond it none begins, as a person waits for an answer before the next call. */
const MAX_WAITING = 200;

interface CallOnceOptions {
  path: string;
  body?: unknown | undefined;
  key?: string | undefined;
  timeoutMs?: number | undefined;
}

export async function callOnce(
  url: string,
  method: string,
  { path, body, key, timeoutMs = CALL_MS }: CallOnceOptions,
): Promise<Answer> {
  const response = await fetch(`${url}/svcapiv2${path}`, {
    method,
    signal: AbortSignal.timeout(timeoutMs),
    headers: {
      authorization: `Bearer ${TOKEN}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json().catch(() => undefined) };
}

/**
 * Repeats the call under its key at one of `urls` after the other until it is answered, and not asked to come again; it waits longer where nobody
 * answers in time. Throws after too many, with the last answer as the cause.
 */
export async function callUntilAnswered(
  urls: readonly string[],
  { method, path, body, key, timeoutMs = CALL_MS }: RepeatedCall,
  maxTries = MAX_TRIES,
): Promise<Answer & { tookMs: number }> {
  const beganAt = performance.now();
  let unanswered = 0;
  for (let tries = 0; ; tries += 1) {
    let refusal: unknown;
    try {
      const waitMs = Math.min(MAX_CALL_MS, timeoutMs * 2 ** Math.floor(unanswered / TRIES_A_BOUND));
      const answer = await callOnce(urls[tries % urls.length]!, method, { path, body, key, timeoutMs: waitMs });
      if (!asksToComeAgain(answer)) return { ...answer, tookMs: performance.now() - beganAt };
      refusal = answer;
    } catch (error) {
      if ((error as Error).name === 'TimeoutError') unanswered += 1;
      refusal = error;
    }
    if (tries >= maxTries) throw new Error(`${path}: no answer`, { cause: refusal });
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

/** A call under the same key may still be running at the server that was asked first. */
function asksToComeAgain({ status, body }: Answer): boolean {
  return status >= 500 || status === 429 || (status === 409 && body?.retry_after_seconds !== undefined);
}

/** Until `end`, writes planned actions of the Live stream that are far away, `perSecond` of them, and reads its status as often. */
export class Clients {
  readonly records: CallRecord[] = [];
  private readonly balancer: string;
  private readonly servers: readonly string[];
  private readonly livestreamId: number;
  private readonly under = new Set<Promise<void>>();
  private readonly timer: NodeJS.Timeout;
  private number = 0;

  constructor(balancer: string, servers: readonly string[], livestreamId: number, perSecond: number) {
    this.balancer = balancer;
    this.servers = servers;
    this.livestreamId = livestreamId;
    this.timer = setInterval(() => this.begin(), 1000 / perSecond);
  }

  /** Resolves when all are answered. */
  async end(): Promise<void> {
    clearInterval(this.timer);
    await Promise.all(this.under);
  }

  private begin(): void {
    if (this.under.size >= MAX_WAITING) return;
    this.number += 1;
    const { number, servers } = this;
    const mark = `write ${number}`;
    const execute_at = new Date(Date.now() + 86_400_000).toISOString();
    const write = {
      method: 'POST',
      path: `/livestreams/${this.livestreamId}/actions`,
      body: { type: 'text', execute_at, payload: { text: mark, action: 'show' } },
      key: `drill ${mark}`,
    };
    const first = number % servers.length;
    if (number % 2 === 0) this.call('write', 'by the balancer', mark, [this.balancer], write);
    else {
      const inTurn = [...servers.slice(first), ...servers.slice(0, first)];
      this.call('write', 'at one server after the other', mark, inTurn, write);
    }
    const status = { method: 'GET', path: `/livestreams/${this.livestreamId}/status` };
    this.call('status', 'by the balancer', '', [this.balancer], status);
  }

  private call(
    kind: CallRecord['kind'],
    route: Route,
    mark: string,
    urls: readonly string[],
    repeated: RepeatedCall,
  ): void {
    const beganAt = performance.now();
    const record: CallRecord = { kind, route, mark, beganAt, isDone: false, tookMs: 0 };
    this.records.push(record);
    const task = callUntilAnswered(urls, { ...repeated, timeoutMs: ANSWER_MS })
      .then(({ status }) => void (record.isDone = status < 300))
      // A call that was never answered is one that was not acknowledged.
      .catch(() => undefined)
      .finally(() => {
        record.tookMs = performance.now() - beganAt;
        this.under.delete(task);
      });
    this.under.add(task);
  }
}
