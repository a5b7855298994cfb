/** The part of the events that is shown. */
import { KINDS, type Incident, type Kind } from './pairs.ts';

export interface Filter {
  livestreamId: number | undefined;
  kind: Kind | '';
  severity: 'warning' | 'error' | '';
  state: 'open' | 'closed' | '';
}

/** The members of the address that it knows. */
export function filterFrom(query: Readonly<Record<string, string>>): Filter {
  const { livestream, kind, severity, state } = query;
  return {
    livestreamId: livestream === undefined ? undefined : Number(livestream) || undefined,
    kind: KINDS.find((each) => each === kind) ?? '',
    severity: severity === 'warning' || severity === 'error' ? severity : '',
    state: state === 'open' || state === 'closed' ? state : '',
  };
}

export function isWanted(
  { livestreamId, kind, severity, state }: Filter,
  incident: Pick<Incident, 'livestreamId' | 'kind' | 'severity' | 'clearedAt'>,
): boolean {
  return (
    (livestreamId === undefined || incident.livestreamId === livestreamId) &&
    (kind === '' || incident.kind === kind) &&
    (severity === '' || incident.severity === severity) &&
    (state === '' || (incident.clearedAt === undefined) === (state === 'open'))
  );
}
