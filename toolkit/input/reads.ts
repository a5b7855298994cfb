/** Reads that an answer needs beside the call that was made. */
import type { Via } from '../../domain/shapes/installation/security.ts';
import type { Call } from '../call.ts';
import type { Dispatcher } from '../dispatch.ts';

/** Answers the body of an operation that reads. Rejects with AppError. */
export type Read = (operation: string, args: Record<string, unknown>) => Promise<unknown>;

interface Reader extends Pick<Call, 'caller' | 'profile' | 'requestId'> {
  dispatcher: Pick<Dispatcher, 'rightsOf' | 'dispatch'>;
  via: Via;
}

/** Reads with the caller's own rights. A read that the caller may not make is refused here: the caller has not asked for it. */
export function readsOf({ dispatcher, caller, via, profile, requestId }: Reader): Read {
  return async (operation, args) => {
    dispatcher.rightsOf({ caller, profile }).assertMayCall(operation);
    return (await dispatcher.dispatch({ operation, args, caller, via, profile, requestId })).body;
  };
}
