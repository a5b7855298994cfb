/** Looks at everything that a server knows of its installation, and remembers since when each thing is wrong. */
import type { StoreHealth } from '../../domain/ports/store.ts';
import type { AlarmFacts } from '../../domain/shapes/installation/alarm-facts.ts';
import {
  ALARM_CHECKS,
  failure,
  FINDING_STATES,
  type Alarm,
  type AlarmCheck,
  type Finding,
} from '../../domain/shapes/installation/finding.ts';
import type { Sharing } from '../../domain/shapes/installation/member.ts';
import { systemClock } from '../../domain/time/clock.ts';
import { certificate, type TlsSettings } from './certificate.ts';
import { deviceFindings } from './devices.ts';
import { clock, disk } from './machine.ts';
import { archiveFindings, backupFindings, licenceFindings, mailFindings, serviceFindings } from './services.ts';
import { serverFindings, storeFindings } from './store.ts';

export interface AlarmDeps {
  dataDir: string;
  health: () => StoreHealth;
  /** undefined where the store is not shared. */
  sharing: () => Sharing | undefined;
  /** IANA zone of the service. */
  timezone: string;
  tls: TlsSettings;
  /** A mail server is set. */
  hasMail: boolean;
}

type Found = Finding<AlarmCheck>;

export class Alarms {
  private readonly deps: AlarmDeps;
  private seen: ReadonlyMap<string, string> = new Map();

  constructor(deps: AlarmDeps) {
    this.deps = deps;
  }

  /** An alarm that was there before keeps its beginning while it lasts. */
  async look(facts: AlarmFacts): Promise<Alarm[]> {
    const { dataDir, health, sharing, timezone, tls, hasMail } = this.deps;
    const nowMs = Date.parse(facts.now);
    const shared = sharing();
    const ownMs = systemClock.now();
    const found: Found[] = [
      ...storeFindings(health(), facts),
      await tried('disk', () => disk(dataDir)),
      await tried('clock', () => clock(dataDir, timezone, ownMs, shared === undefined ? ownMs : nowMs)),
      certificate(tls, nowMs),
      ...serverFindings(shared?.members ?? []),
      ...deviceFindings(facts),
      ...licenceFindings(facts),
      ...serviceFindings(facts),
      ...backupFindings(facts),
      ...archiveFindings(facts),
      ...mailFindings(facts, hasMail),
    ];
    const seen = new Map<string, string>();
    const alarms = found.map(({ of, since, ...finding }): Alarm => {
      if (finding.state === 'ok') return { ...finding, since: null };
      const key = `${finding.check} ${finding.state} ${of ?? ''}`;
      const first = since ?? this.seen.get(key) ?? facts.now;
      seen.set(key, first);
      return { ...finding, since: first };
    });
    this.seen = seen;
    return alarms.sort(worstFirst);
  }
}

/** A disk that cannot be asked is a finding too. */
async function tried<C extends AlarmCheck>(check: C, look: () => Promise<Finding<C>>): Promise<Finding<C>> {
  try {
    return await look();
  } catch (error) {
    return failure(check, (error as Error).message, 'See the log of the server, and that of the system.');
  }
}

function worstFirst(one: Alarm, other: Alarm): number {
  const rank = ({ state }: Alarm): number => FINDING_STATES.indexOf(state);
  return rank(other) - rank(one) || ALARM_CHECKS.indexOf(one.check) - ALARM_CHECKS.indexOf(other.check);
}
