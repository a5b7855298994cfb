/** Clients of several servers: each write has a key of its own and is repeated until it is answered, as a careful client does. */
import { TOKEN } from './service.ts';

export interface WriteRecord {
  /** The text that marks it in the store. */
  mark: string;
  /** Monotonic time of the first try. */
  beganAt: number;
  /** Whether it was acknowledged. */
  isDone: boolean;
  /** Milliseconds from the first try to the answer, or to the end of the drill. */
  tookMs: number;
  tries: number;
}

export interface Answer {
  status: number;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- answers of many shapes, asserted on by each test
  body: any;
}

/** A server that is stopped, and not gone, answers nothing: a client asks the next one then, under the same key. */
const WRITE_MS = 1_000;
const CALL_MS = 3_000;
const PAUSE_MS = 100;

export async function callOnce(
  url: string,
  method: string,
  path: string,
  body?: unknown,
  key?: string,
  timeoutMs = CALL_MS,
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

/** Repeats the call under its key until it is answered, and not asked to come again. Throws at the bound, with the last answer as the cause. */
export async function callUntilAnswered(
  url: string,
  call: { method: string; path: string; body?: unknown; key: string; timeoutMs?: number },
  boundMs: number,
): Promise<Answer & { tookMs: number; tries: number }> {
  const beganAt = performance.now();
  for (let tries = 1; ; tries += 1) {
    let refusal: unknown;
    try {
      const answer = await callOnce(url, call.method, call.path, call.body, call.key, call.timeoutMs);
      if (!asksToComeAgain(answer)) return { ...answer, tookMs: performance.now() - beganAt, tries };
      refusal = answer;
    } catch (error) {
      refusal = error;
    }
    if (performance.now() - beganAt > boundMs) throw new Error(`${call.path}: no answer`, { cause: refusal });
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

/** A call under the same key may still be running at the server that was asked first. */
function asksToComeAgain({ status, body }: Answer): boolean {
  return status >= 500 || status === 429 || (status === 409 && body?.retry_after_seconds !== undefined);
}

/** Writes planned actions of the Live stream that are far away, `perSecond` of them, until `end`. */
export class Writers {
  readonly records: WriteRecord[] = [];
  private readonly url: string;
  private readonly livestreamId: number;
  private readonly under = new Set<Promise<void>>();
  private readonly timer: NodeJS.Timeout;
  private number = 0;

  constructor(url: string, livestreamId: number, perSecond: number) {
    this.url = url;
    this.livestreamId = livestreamId;
    this.timer = setInterval(() => this.begin(), 1000 / perSecond);
  }

  /** Resolves when all are answered. */
  async end(): Promise<void> {
    clearInterval(this.timer);
    await Promise.all(this.under);
  }

  private begin(): void {
    this.number += 1;
    const mark = `write ${this.number}`;
    const record: WriteRecord = { mark, beganAt: performance.now(), isDone: false, tookMs: 0, tries: 0 };
    this.records.push(record);
    const task = this.write(record).finally(() => this.under.delete(task));
    this.under.add(task);
  }

  private async write(record: WriteRecord): Promise<void> {
    const execute_at = new Date(Date.now() + 86_400_000).toISOString();
    const body = { type: 'text', execute_at, payload: { text: record.mark, action: 'show' } };
    const path = `/livestreams/${this.livestreamId}/actions`;
    const beganAt = performance.now();
    try {
      const { status, tries } = await callUntilAnswered(
        this.url,
        { method: 'POST', path, body, key: `drill ${record.mark}`, timeoutMs: WRITE_MS },
        60_000,
      );
      record.isDone = status === 201;
      record.tries = tries;
    } catch {
      record.isDone = false;
    }
    record.tookMs = performance.now() - beganAt;
  }
}
