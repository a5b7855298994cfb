/** Where this room's requests may go. One policy a process, set where the room is wired: libraries make sockets deep inside a call. */
import { lookup } from 'node:dns';
import { parseNetworks, Reach, type NetworkPolicy, type ResolveAll } from '../domain/networks.ts';

/** `lookup` itself, not bound: it has a form for each set of options. */
const resolveAll = lookup as unknown as ResolveAll;

let current = new Reach(parseNetworks(), resolveAll);

export function reach(): Reach {
  return current;
}

export function setNetworks(policy: NetworkPolicy, resolve: ResolveAll = resolveAll): void {
  current = new Reach(policy, resolve);
}
