/**
 * Writes refused calls to the audit. A credential has a budget of entries an hour: a faulty script may be refused thousands of times a
 * minute, and must neither fill the disk nor make the entries of others hard to find. Beyond the budget calls are counted, and at the end of
 * the hour one entry of each kind has their number.
 */
import { toIso, type Clock } from '../domain/time/clock.ts';
import type { AuditEntry, Caller } from '../domain/shapes/installation/security.ts';
import type { Store } from '../domain/ports/store.ts';
import { addAudit } from './audit.ts';
import type { Log } from '../domain/base/log.ts';

const HOUR_MS = 3_600_000;
/** The budget of one operation with one outcome. A person who tries again and again stays below it. */
const MAX_OF_KIND = 60;
/** The budget of one credential, so that a caller cannot avoid the other bound by going through all operations and outcomes. */
const MAX_OF_CREDENTIAL = 1000;

type Entry = Omit<AuditEntry, 'id'>;

interface Kind {
  entries: number;
  /** The number of calls beyond the budget. */
  counted: number;
  last: Entry;
}

interface Credential {
  entries: number;
  readonly kinds: Map<string, Kind>;
}

interface Deps {
  store: Pick<Store, 'tx'>;
  clock: Clock;
  log: Pick<Log, 'warn' | 'error'>;
}

export interface RefusalAudit {
  /** Writes or counts one entry under its `kind`, of which there is a bounded number. Never rejects. */
  note(caller: Caller, kind: string, entry: Entry): Promise<void>;
  /** Writes the counts and begins a new hour. Never rejects. */
  settle(): Promise<void>;
}

export function createRefusalAudit({ store, clock, log }: Deps): RefusalAudit {
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
      // A clock that is set back begins a new hour too.
      if (Math.abs(clock.now() - sinceMs) >= HOUR_MS) await settle();
      const key = caller.tokenKid ?? caller.username;
      let credential = credentials.get(key);
      if (credential === undefined) credentials.set(key, (credential = { entries: 0, kinds: new Map() }));
      let kind = credential.kinds.get(name);
      if (kind === undefined) credential.kinds.set(name, (kind = { entries: 0, counted: 0, last: entry }));
      if (kind.entries >= MAX_OF_KIND || credential.entries >= MAX_OF_CREDENTIAL) return count(kind, entry);
      kind.entries += 1;
      credential.entries += 1;
      await write([entry]);
    },
  };
}
