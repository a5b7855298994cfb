/** Sending an act: `runtimeApplyBlackout`, `stop_livestream` … */
import type { OperationId } from '../../client/request.ts';
import { call, dataIn } from './call.ts';
import { newKey } from './client.ts';
import type { BodyOf, DataOf, ParamsOf } from './operation-types.ts';
import { createOrder, type OrderOf } from './order.ts';

export type Order<O extends OperationId> = OrderOf<DataOf<O>>;

export function sendOrder<O extends OperationId>(order: {
  operation: O;
  params?: ParamsOf<O>;
  body?: BodyOf<O>;
  etag?: string | undefined;
  failedMs?: number;
}): Order<O> {
  const { operation, params, body, etag, failedMs } = order;
  return createOrder<DataOf<O>>({
    send: async ({ key, requestId }) =>
      dataIn((await call(operation, { params, body, etag, idempotencyKey: key, requestId })).body) as DataOf<O>,
    newKey,
    failedMs,
    timers: { setTimeout: (callback, ms) => setTimeout(callback, ms), clearTimeout: (timer) => clearTimeout(timer) },
  });
}
