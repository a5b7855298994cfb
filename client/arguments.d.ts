/** Arguments and answer of a call by its operationId, from the types of the API description. */
import type { operations } from './gen/api.d.ts';

export type OperationId = keyof operations;
type Described<O extends OperationId> = operations[O];

/** A part that an operation has not is `never`, and intersecting with that would forbid all. */
type OrNothing<T> = [T] extends [undefined] ? unknown : T;
type Part<O extends OperationId, P extends 'path' | 'query'> =
  Described<O> extends { parameters: { [K in P]?: infer V } } ? OrNothing<V> : unknown;
type ContentOf<B> = B extends { content: infer C } ? C[keyof C] : never;
type Body<O extends OperationId> =
  Described<O> extends { requestBody?: infer B } ? OrNothing<ContentOf<NonNullable<B>>> : unknown;
type JsonOf<R> = R extends { content: { 'application/json': infer J } } ? J : never;

/** The fields of path, query and body in one object. */
export type Args<O extends OperationId> = Part<O, 'path'> & Part<O, 'query'> & Body<O>;
/** The body of the answer: `data` for one resource, `rows` and `pagination` for a list. */
export type Answer<O extends OperationId> =
  Described<O> extends { responses: infer R } ? { [S in keyof R]: JsonOf<R[S]> }[keyof R] : never;

export interface CallOptions {
  signal?: AbortSignal | undefined;
  /** Headers of this request, such as Idempotency-Key or If-Match. */
  headers?: Record<string, string> | undefined;
}
