/** The servers that share one store. */
import { z } from 'zod/v3';
import { instantField } from '../../base/schema.ts';

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

/** Facts of a shared store that are known without asking it. */
export interface Sharing {
  /** As of some seconds ago. */
  members: readonly StoreMember[];
  /** Attempts of this server to commit that met commits of another server. */
  conflicts: number;
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

/** Whether the server was heard of lately. */
export function isUp(id: string | null, members: readonly Pick<StoreMember, 'id' | 'silentMs'>[]): boolean {
  return members.some((member) => member.id === id && member.silentMs < RANKED_MS);
}

export const memberOutput = z
  .object({
    id: z.string().describe('Stays the same when the server starts again.'),
    name: z.string().describe('Name of its machine.'),
    version: z.string().nullable().describe('Version of onair there.'),
    self: z.boolean().describe('True for the server that answers.'),
    state: z
      .enum(['up', 'silent', 'gone'])
      .describe('up: heard of within 15 s. silent: not for 15 s. gone: not for 60 s.'),
    rank: z
      .number()
      .int()
      .nullable()
      .describe('Schedules: 0 carries out what is due; each other looks a second behind the one before. null: not up.'),
    started_at: instantField,
    seen_at: instantField.describe('Instant at which it was last heard of.'),
    lag_commits: z.number().int().describe('Commits that it had not taken in then.'),
    devices: z.array(z.number().int()).describe('Ids of the Devices that obey it.'),
    duties: z
      .array(z.string())
      .describe('Leases that it holds: housekeeping, tidy, answers <server>, device <id>, cloud <id>.'),
  })
  .strict()
  .describe('A server of several that share one store.');
export type MemberView = z.infer<typeof memberOutput>;

export function memberState(silentMs: number): MemberView['state'] {
  if (silentMs < RANKED_MS) return 'up';
  return silentMs < GONE_MS ? 'silent' : 'gone';
}

/** `devices` maps each server to the Devices that obey it. */
export function memberView(
  { silentMs, lag, leases, ...member }: StoreMember,
  members: readonly StoreMember[],
  ownId: string,
  devices: ReadonlyMap<string, number[]>,
): MemberView {
  const state = memberState(silentMs);
  return {
    ...member,
    self: member.id === ownId,
    state,
    rank: state === 'up' ? rankOf(member.id, members) : null,
    lag_commits: lag,
    devices: devices.get(member.id) ?? [],
    duties: leases,
  };
}
