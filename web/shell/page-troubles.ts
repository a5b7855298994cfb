/** Troubles that an Administrator has to see to, on pages that are not open. */
import { can } from '../api/can.ts';
import type { RowOf } from '../api/operation-types.ts';
import { useList } from '../api/reads.ts';
import { language, words } from '../i18n/words.ts';
import { moment } from '../live/clock.ts';
import { devices, isStale } from '../live/streams.ts';
import type { PageName } from '../route.ts';
import { shownZone } from '../shown-zone.ts';
import { dateText } from '../zone.ts';

/** A licence takes some weeks to be renewed, and one that ended long ago is missed by nobody. */
const NEAR_MS = 30 * 86_400_000;

/** These have a mark of their own, which is there at once. A warning may last for good, as where no time service runs, and marks nothing. */
const ELSEWHERE: readonly RowOf<'getSystemAlarms'>['check'][] = ['devices', 'storage', 'licences'];

/** A disk that fills changes no row. */
const ALARMS_EVERY_MS = 60_000;

/** A sentence or two for each page whose subject is in trouble. */
export function usePageTroubles(): Partial<Record<PageName, string>> {
  const isWanted = can('updateDevice');
  const { rows } = useList('getAllDevices', {
    params: { fields: 'id,name,enabled,refused_machine,mountstatus' },
    pageSize: 500,
    isWanted,
  });
  const licences = useList('getSystemLicenses', { isWanted }).rows;
  const alarms = useList('getSystemAlarms', { isWanted, everyMs: ALARMS_EVERY_MS }).rows.filter(
    ({ check, state }) => state === 'error' && !ELSEWHERE.includes(check),
  ).length;
  // Nothing is known of them at the moment.
  if (!isWanted || isStale.value) return {};
  const w = words.value.pageTroubles;
  const away = rows.filter(({ id, enabled }) => enabled && devices.value.get(id)?.online === false);
  const refused = rows.filter(({ refused_machine: machine }) => machine != null);
  const unwritable = rows.filter(({ mountstatus: state }) => state !== 'mounted' && state !== 'unknown');
  const names = (of: typeof rows): string => of.map(({ name }) => name).join(', ');
  const machines = [
    ...(away.length > 0 ? [w.away(names(away))] : []),
    ...(refused.length > 0 ? [w.refused(names(refused))] : []),
    ...(unwritable.length > 0 ? [w.disk(names(unwritable))] : []),
  ];
  const now = moment.peek();
  const [licence] = licences.filter(({ expires_at: at }) => at !== null && Math.abs(Date.parse(at) - now) < NEAR_MS);
  const end = licence?.expires_at;
  const system = [
    ...(end == null ? [] : [w.licence(dateText(Date.parse(end), shownZone.value, language.value))]),
    ...(alarms > 0 ? [w.alarms(alarms)] : []),
  ];
  return {
    ...(machines.length > 0 && { devices: machines.join(' ') }),
    ...(system.length > 0 && { system: system.join(' ') }),
  };
}
