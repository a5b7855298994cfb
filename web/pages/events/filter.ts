/** The part of the events that is shown. */
import type { FiltersOf } from '../../api/operation-types.ts';
import { instantOf } from '../../local-time.ts';
import { KINDS, type Incident, type Kind } from './pairs.ts';

export interface Filter {
  livestreamId: number | undefined;
  kind: Kind | '';
  severity: 'warning' | 'error' | '';
  state: 'open' | 'closed' | '';
  /** As `datetime-local` has it, in the shown zone. */
  from: string;
  to: string;
}

/** The members of the address that it knows. */
export function filterFrom(query: Readonly<Record<string, string>>): Filter {
  const { livestream, kind, severity, state, from = '', to = '' } = query;
  return {
    livestreamId: livestream === undefined ? undefined : Number(livestream) || undefined,
    kind: KINDS.find((each) => each === kind) ?? '',
    severity: severity === 'warning' || severity === 'error' ? severity : '',
    state: state === 'open' || state === 'closed' ? state : '',
    from,
    to,
  };
}

const DAY_MS = 86_400_000;

/** A fault that begins before the time, or ends after it, has an event outside: a day on either side is read as well. */
export function paramsOf({ livestreamId, from, to }: Filter, zone: string): FiltersOf<'getAllEvents'> {
  const near = (local: string, byMs: number): string | undefined => {
    const at = instantOf(local, zone);
    return at === undefined ? undefined : new Date(Date.parse(at) + byMs).toISOString();
  };
  const params = { livestreamId, from: near(from, -DAY_MS), to: near(to, DAY_MS) };
  return Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined));
}

/** A fault that goes on in any part of the time is in it. */
export function isWanted(
  { livestreamId, kind, severity, state, from, to }: Filter,
  incident: Pick<Incident, 'livestreamId' | 'kind' | 'severity' | 'setAt' | 'clearedAt'>,
  zone: string,
): boolean {
  const [fromAt, toAt] = [instantOf(from, zone), instantOf(to, zone)];
  return (
    (livestreamId === undefined || incident.livestreamId === livestreamId) &&
    (kind === '' || incident.kind === kind) &&
    (severity === '' || incident.severity === severity) &&
    (state === '' || (incident.clearedAt === undefined) === (state === 'open')) &&
    (fromAt === undefined || (incident.clearedAt ?? Infinity) >= Date.parse(fromAt)) &&
    (toAt === undefined || incident.setAt < Date.parse(toAt))
  );
}
