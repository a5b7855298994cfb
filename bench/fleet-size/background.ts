/** People and programs that call the servers all the time, and how long each waits for its answer. */
import { callUntilAnswered } from '../../test/helpers/fleet-calls.ts';

export interface Call {
  kind: string;
  /** Unix time in ms of its first try. */
  at: number;
  /** Milliseconds from the first try to the answer. */
  tookMs: number;
  /** HTTP status of the answer; 0: there was none. */
  status: number;
  /** A write is found by it in the store. */
  mark?: string;
}

interface Kind {
  kind: string;
  method: 'GET' | 'POST';
  path: string;
  body?: object;
  mark?: string;
}

const ANSWER_MS = 5_000;
/** Beyond it none begins: who waits for an answer makes no further call. */
const MAX_WAITING = 100;

export class Background {
  readonly calls: Call[] = [];
  private readonly urls: readonly string[];
  private readonly livestreamIds: readonly number[];
  private readonly random: () => number;
  private readonly under = new Set<Promise<void>>();
  private readonly timer: NodeJS.Timeout;
  private number = 0;

  constructor(urls: readonly string[], livestreamIds: readonly number[], perSecond: number, random: () => number) {
    this.urls = urls;
    this.livestreamIds = livestreamIds;
    this.random = random;
    this.timer = setInterval(() => this.begin(), 1000 / perSecond);
  }

  /** Resolves when all are answered. */
  async end(): Promise<void> {
    clearInterval(this.timer);
    await Promise.all(this.under);
  }

  private begin(): void {
    if (this.under.size >= MAX_WAITING) return;
    const { number } = this;
    this.number += 1;
    const first = number % this.urls.length;
    const inTurn = [...this.urls.slice(first), ...this.urls.slice(0, first)];
    const { kind, mark, ...request } = this.next(number);
    const at = Date.now();
    const call: Call = { kind, at, tookMs: 0, status: 0, ...(mark !== undefined && { mark }) };
    this.calls.push(call);
    const key = mark === undefined ? {} : { key: mark };
    const task = callUntilAnswered(inTurn, { ...request, ...key, timeoutMs: ANSWER_MS })
      .then(({ status, tookMs }) => void Object.assign(call, { status, tookMs }))
      .catch(() => void (call.tookMs = Date.now() - at))
      .finally(() => this.under.delete(task));
    this.under.add(task);
  }

  /** Among ten calls two write, four look at one Live stream, four at lists. */
  private next(number: number): Kind {
    const { livestreamIds, random } = this;
    const id = livestreamIds[Math.floor(random() * livestreamIds.length)]!;
    const page = 1 + Math.floor(random() * Math.ceil(livestreamIds.length / 50));
    const get = (kind: string, path: string): Kind => ({ kind, method: 'GET', path });
    switch (number % 10) {
      case 0:
      case 5:
        return this.write(id, `call ${number}`);
      case 1:
        return get('list of Live streams', `/livestreams?pageSize=50&page=${page}`);
      case 2:
        return get('what is on air', `/livestreams/status?status=2&pageSize=50&page=${page}`);
      case 3:
        return get('state of the Devices', '/devices/status');
      case 4:
        return get('last events', '/livestreams/events?pageSize=50');
      default:
        return get('status of a Live stream', `/livestreams/${id}/status`);
    }
  }

  private write(id: number, mark: string): Kind {
    const execute_at = new Date(Date.now() + 86_400_000).toISOString();
    const body = { type: 'text', execute_at, payload: { text: mark, action: 'show' } };
    return { kind: 'planned action', method: 'POST', path: `/livestreams/${id}/actions`, body, mark };
  }
}

/** Milliseconds of the calls. */
export function percentile(calls: readonly Pick<Call, 'tookMs'>[], share: number): number {
  const sorted = calls.map(({ tookMs }) => tookMs).sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
