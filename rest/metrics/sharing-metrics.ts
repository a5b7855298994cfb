/** Series of a store that several servers share. */
import { memberState } from '../../domain/member.ts';
import type { Store } from '../../domain/store.ts';
import { family } from './exposition.ts';

export type SharedParts = Pick<Store, 'sharing' | 'staleMs'>;

/** Empty where the store is not shared. */
export function sharingFamilies(store: SharedParts, deviceClaims: number): string {
  const sharing = store.sharing();
  if (sharing === undefined) return '';
  const { members, conflicts } = sharing;
  return [
    family(
      'onair_member_up',
      'gauge',
      '1 for a server of this store that was heard of within 15 s.',
      members.map(({ id, name, silentMs }) => ({
        labels: { member: id, name },
        value: memberState(silentMs) === 'up' ? 1 : 0,
      })),
    ),
    family(
      'onair_member_lag_commits',
      'gauge',
      'Commits that a server of this store had not taken in when it was last heard of.',
      members.map(({ id, name, lag }) => ({ labels: { member: id, name }, value: lag })),
    ),
    family('onair_store_stale_seconds', 'gauge', 'Seconds for which the database has not answered; 0 while it does.', [
      { value: (store.staleMs() ?? 0) / 1000 },
    ]),
    family(
      'onair_store_conflicts_total',
      'counter',
      'Commits of this server that were decided anew, because those of another server came before.',
      [{ value: conflicts }],
    ),
    family(
      'onair_device_claims_total',
      'counter',
      'Steps by which servers took Devices over: two for each, a claim and the confirmation by the Device.',
      [{ value: deviceClaims }],
    ),
  ].join('');
}
