/** The servers that share one store. */
export interface StoreMember {
  /** It outlives the process: a server that starts again has the id that it had. */
  id: string;
  /** Name of its machine. */
  name: string;
  /** Version of the program; null where it did not say. */
  version: string | null;
  started_at: string;
  /** When it was last heard of, by the clock of the store. */
  seen_at: string;
  /** Milliseconds since then. */
  silentMs: number;
  /** Commits that it had not taken in then. */
  lag: number;
  /** Names of the leases that it holds. */
  leases: string[];
}

/** One that was not heard of for so long has no part in what the servers share out by rank. */
const RANKED_MS = 15_000;
/** One that was not heard of for so long counts as gone. */
export const GONE_MS = 60_000;

/** Place of the server among those that were heard of lately, in the order of their ids; one that is not among them comes last. */
export function rankOf(id: string, members: readonly Pick<StoreMember, 'id' | 'silentMs'>[]): number {
  const ids = members.filter(({ silentMs }) => silentMs < RANKED_MS).map((member) => member.id);
  const others = ids.filter((other) => other !== id);
  return ids.includes(id) ? others.filter((other) => other < id).length : others.length;
}
