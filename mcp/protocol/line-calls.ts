/**
 * Calls that come as lines and pass no SDK. Each is answered when it is done, and not at all once it is cancelled (MCP 2025-11-25,
 * basic/utilities/cancellation).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { McpRequest, Message, RequestId } from '../rpc.ts';
import type { Wire } from './wire.ts';

export interface LineCalls {
  /** Takes a call, or a cancellation. */
  receive(message: Message): void;
  isRunning(id: RequestId | undefined): boolean;
}

interface Running {
  controller: AbortController;
  ended: Promise<void>;
}

/** Most cancelled calls end at once. The next call waits no longer than this for one that ignores its signal. */
const CANCELLED_WITHIN_MS = 1000;

/** `answerTo` answers the whole line, and must not reject. */
export function openLineCalls(
  answerTo: (call: McpRequest) => Promise<string>,
  wire: Pick<Wire, 'send' | 'reply'>,
): LineCalls {
  const running = new Map<RequestId, Running>();
  let cancelled: Promise<unknown> | undefined;

  async function run(call: McpRequest): Promise<void> {
    const { id, signal } = call;
    // A client that cancels a call and repeats it under its key wants the outcome of the first, so that one ends first.
    if (cancelled !== undefined) await cancelled;
    const line = signal.aborted ? '' : await answerTo(call);
    if (running.get(id)?.controller.signal === signal) running.delete(id);
    // A client that reads no more needs no answer.
    if (!signal.aborted) await wire.reply(id, line).catch(() => undefined);
  }

  function start(id: RequestId, params: McpRequest['params']): void {
    const controller = new AbortController();
    const { signal } = controller;
    const notify: McpRequest['notify'] = (notification) => {
      // A client that reads no more needs no notifications.
      if (!signal.aborted) wire.send({ ...notification, jsonrpc: '2.0' }).catch(() => undefined);
    };
    running.set(id, { controller, ended: run({ id, params, signal, notify }) });
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
      const cancelledId = method === 'notifications/cancelled' ? params?.requestId : undefined;
      const call = cancelledId === undefined ? undefined : running.get(cancelledId);
      if (call !== undefined) cancel(call);
      else if (id !== undefined) start(id, { ...params });
    },
  };
}
