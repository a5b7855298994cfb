/** The filter of the audit: its fields as they are typed, and as the server is asked. */
import type { FiltersOf } from '../../api/operation-types.ts';
import { instantOf } from '../../local-time.ts';

export interface Filter {
  user: string;
  operation: string;
  request_id: string;
  /** As `datetime-local` has it, in the shown zone. */
  from: string;
  to: string;
  via: string;
}

export const NO_FILTER: Filter = { user: '', operation: '', request_id: '', from: '', to: '', via: '' };
const NAMES = Object.keys(NO_FILTER) as (keyof Filter)[];

/** The members of a query that the filter knows. */
export function filterFrom(query: Readonly<Record<string, string>>): Filter {
  const known = NAMES.filter((name) => query[name] !== undefined).map((name) => [name, query[name]]);
  return { ...NO_FILTER, ...(Object.fromEntries(known) as Partial<Filter>) };
}

export function paramsOf(filter: Filter, zone: string): FiltersOf<'getAuditLog'> {
  const params = {
    user: filter.user.trim(),
    operation: filter.operation.trim(),
    request_id: filter.request_id.trim(),
    via: filter.via,
    from: instantOf(filter.from, zone),
    to: instantOf(filter.to, zone),
  };
  return Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined && value !== ''));
}
