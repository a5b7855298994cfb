/**
 * A lane without an SDK, for requests that come as lines: each is answered when it has been dealt with, and not at all once it is
 * cancelled (MCP 2025-11-25, basic/utilities/cancellation).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Asked } from '../calls/connection.ts';
import type { Message, RequestId } from '../rpc.ts';
import { createTurns } from '../calls/turns.ts';
import type { Wire } from './wire.ts';

export interface LineRequest extends Asked {
  method: string;
}

export interface LineSession {
  receive(message: Message): void;
  isRunning(id: RequestId | undefined): boolean;
}

interface Running {
  controller: AbortController;
  ended: Promise<void>;
}

/** A cancelled call ends its wait at once; one that does not hear of it holds nobody up for longer. */
const CANCELLED_WITHIN_MS = 1000;

/** `answerTo` answers the whole line, and must not reject. */
export function openLineSession(
  answerTo: (request: LineRequest) => Promise<string>,
  wire: Pick<Wire, 'send' | 'reply'>,
): LineSession {
  const running = new Map<RequestId, Running>();
  let cancelled: Promise<unknown> | undefined;
  const turn = createTurns();

  async function run(request: LineRequest): Promise<void> {
    const { id, signal } = request;
    const before = turn();
    if (before !== undefined) await before;
    // Who cancels a call and then asks again under its key means to hear what became of it.
    if (cancelled !== undefined) await cancelled;
    const line = signal.aborted ? '' : await answerTo(request);
    if (running.get(id)?.controller.signal === signal) running.delete(id);
    // Who does not read any more need not be told.
    if (!signal.aborted) await wire.reply(id, line).catch(() => undefined);
  }

  function start(id: RequestId, method: string, params: LineRequest['params']): void {
    const controller = new AbortController();
    const { signal } = controller;
    const notify: Asked['notify'] = (notification) => {
      if (!signal.aborted) wire.send({ ...notification, jsonrpc: '2.0' }).catch(() => undefined);
    };
    running.set(id, { controller, ended: run({ id, method, params, signal, notify }) });
  }

  function cancel({ controller, ended }: Running): void {
    controller.abort();
    const own = Promise.race([Promise.all([cancelled, ended]), sleep(CANCELLED_WITHIN_MS, undefined, { ref: false })]);
    cancelled = own;
    void own.then(() => {
      if (cancelled === own) cancelled = undefined;
    });
  }

  return {
    isRunning: (id) => id !== undefined && running.has(id),
    receive({ id, method, params }) {
      const named = method === 'notifications/cancelled' ? params?.requestId : undefined;
      const meant = named === undefined ? undefined : running.get(named);
      if (meant !== undefined) cancel(meant);
      else if (id !== undefined && method !== undefined) start(id, method, { ...params });
    },
  };
}
