/**
 * What refused calls leave in the audit. A credential has a budget of entries an hour: a script that has gone wild is refused the same
 * thing thousands of times a minute, and must fill neither the disk nor the log in which others are looked for. Beyond it calls are counted, and
 * one entry of each kind says at the end of the hour how many they were.
 */
import { toIso, type Clock } from '../domain/clock.ts';
import type { AuditEntry, Caller } from '../domain/security.ts';
import type { Store } from '../domain/store.ts';
import { addAudit } from './audit.ts';
import type { Log } from './tool.ts';

const HOUR_MS = 3_600_000;
/** Of one operation with one outcome: a person who tries again and again is below it. */
const MAX_ALIKE = 60;
/** Of everything, so that going through all operations and outcomes does not help. */
const MAX_KEYS = 1000;

type Entry = Omit<AuditEntry, 'id'>;

interface Kind {
  kept: number;
  /** Refused beyond the budget, and the last of them. */
  counted: number;
  last: Entry;
}

interface Credential {
  kept: number;
  readonly kinds: Map<string, Kind>;
}

interface Parts {
  store: Pick<Store, 'tx'>;
  clock: Clock;
  log: Pick<Log, 'warn' | 'error'>;
}

export interface RefusedCalls {
  /** `kind`: what the entry is counted with, of a bounded number. Never rejects. */
  note(caller: Caller, kind: string, entry: Entry): Promise<void>;
  /** Writes what has been counted and begins anew. Never rejects. */
  settle(): Promise<void>;
}

export function createRefusedCalls({ store, clock, log }: Parts): RefusedCalls {
  let credentials = new Map<string, Credential>();
  let sinceMs = clock.now();
  let cancelTimer: (() => void) | undefined;

  function write(entries: readonly Entry[]): Promise<void> {
    return store
      .tx((tx) => entries.forEach((entry) => addAudit(tx, entry)))
      .catch((cause: unknown) => log.error({ err: cause }, 'audit entry lost'));
  }

  async function settle(): Promise<void> {
    cancelTimer?.();
    cancelTimer = undefined;
    const nowMs = clock.now();
    const counted = [...credentials.values()].flatMap(({ kinds }) => [...kinds.values()]);
    credentials = new Map();
    sinceMs = nowMs;
    const entries = counted.flatMap(({ counted: count, last }) =>
      count === 0 ? [] : [{ ...last, at: toIso(nowMs), resource_id: null, changed: [], count }],
    );
    if (entries.length > 0) await write(entries);
  }

  function count(kind: Kind, entry: Entry): void {
    kind.counted += 1;
    kind.last = entry;
    if (kind.counted > 1) return;
    const { user, token_kid: kid, operation, outcome } = entry;
    log.warn({ user, kid, operation, outcome }, 'refused calls are counted from here to the end of the hour');
    cancelTimer ??= clock.after(Math.max(0, sinceMs + HOUR_MS - clock.now()), () => void settle());
  }

  return {
    settle,
    async note(caller, name, entry) {
      // A clock that was set back begins a new hour, too.
      if (Math.abs(clock.now() - sinceMs) >= HOUR_MS) await settle();
      const key = caller.tokenKid ?? caller.username;
      let credential = credentials.get(key);
      if (credential === undefined) credentials.set(key, (credential = { kept: 0, kinds: new Map() }));
      let kind = credential.kinds.get(name);
      if (kind === undefined) credential.kinds.set(name, (kind = { kept: 0, counted: 0, last: entry }));
      if (kind.kept >= MAX_ALIKE || credential.kept >= MAX_KEYS) return count(kind, entry);
      kind.kept += 1;
      credential.kept += 1;
      await write([entry]);
    },
  };
}
