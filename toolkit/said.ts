/** Which names the sentences of one call say: read aloud, `channelOne` that somebody named must differ from a word for programs. */
import { AsyncLocalStorage } from 'node:async_hooks';

const listening = new AsyncLocalStorage<Set<string>>();

/** While `act` runs, `names` gets each name that is said. */
export function notingNames<T>(names: Set<string>, act: () => Promise<T>): Promise<T> {
  return listening.run(names, act);
}

/** Without effect where nobody listens. */
export function noteName(name: string): void {
  listening.getStore()?.add(name);
}
