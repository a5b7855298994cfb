/** The types of a call by its operation: parameters of path and query in one flat object, the body, the answer. */
import type { operations } from '../../client/gen/api.d.ts';
import type { OPERATIONS, OperationId } from '../../client/request.ts';

type Described<O extends OperationId> = O extends keyof operations ? operations[O] : never;
type Part<O extends OperationId, P extends 'path' | 'query'> =
  Described<O> extends { parameters: { [K in P]?: infer V } } ? NonNullable<V> : never;
/** A part that an operation has not is `never`, and intersecting with it would forbid all. */
type OrNothing<T> = [T] extends [never] ? unknown : T;

export type ParamsOf<O extends OperationId> = OrNothing<Part<O, 'path'>> & OrNothing<Part<O, 'query'>>;
/** The query alone of a list, without what the list asks by itself. */
export type FiltersOf<O extends OperationId> = Omit<ParamsOf<O>, 'page' | 'pageSize' | 'search' | 'sort'>;

export type BodyOf<O extends OperationId> =
  Described<O> extends { requestBody?: infer B }
    ? NonNullable<B> extends { content: { 'application/json': infer J } }
      ? J
      : never
    : never;

type JsonOf<R> = R extends { content: { 'application/json': infer J } } ? J : never;
type AnswersOf<O extends OperationId> =
  Described<O> extends { responses: infer R } ? { [S in keyof R]: JsonOf<R[S]> }[keyof R] : never;
export type DataOf<O extends OperationId> =
  AnswersOf<O> extends infer A ? (A extends { data: infer D } ? D : never) : never;
export type RowOf<O extends OperationId> =
  AnswersOf<O> extends infer A ? (A extends { rows: (infer R)[] } ? R : never) : never;

/** Operations whose answer is a page of rows. */
export type ListOperation = {
  [O in OperationId]: (typeof OPERATIONS)[O]['list'] extends true ? O : never;
}[OperationId];
