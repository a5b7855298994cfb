/**
 * The networks that requests of this room may reach. A process has one policy, set where the room is wired, because libraries make sockets
 * deep inside a call.
 */
import { lookup } from 'node:dns';
import { parseNetworks, Reach, type NetworkPolicy, type ResolveAll } from '../domain/network/networks.ts';

/** `lookup` is not bound, since it has a form for each set of options. */
const resolveAll = lookup as unknown as ResolveAll;

let current = new Reach(parseNetworks(), resolveAll);

export function reach(): Reach {
  return current;
}

export function setNetworks(policy: NetworkPolicy, resolve: ResolveAll = resolveAll): void {
  current = new Reach(policy, resolve);
}
