/** Series of a store that several servers share. */
import { memberState } from '../../domain/shapes/installation/member.ts';
import type { Store } from '../../domain/ports/store.ts';
import { family } from './exposition.ts';

export type SharedDeps = Pick<Store, 'sharing' | 'staleMs'>;

/** How often each Device was taken over by a server. */
export class DeviceClaims {
  readonly counts = new Map<number, number>();
  /** The last claim that was seen; the first one may be older than this process. */
  private readonly tokens = new Map<number, number>();

  /** The row of the Device's claim has changed, which it does for other reasons, too. */
  look(store: Pick<Store, 'get'>, deviceId: number): void {
    void store.get('deviceLinks', deviceId).then(
      (found) => this.take(deviceId, found?.row.acceptedToken),
      () => undefined,
    );
  }

  private take(deviceId: number, token: number | undefined): void {
    if (token === undefined) return void this.counts.delete(deviceId);
    const before = this.tokens.get(deviceId) ?? token;
    this.tokens.set(deviceId, token);
    this.counts.set(deviceId, (this.counts.get(deviceId) ?? 0) + (token > before ? 1 : 0));
  }
}

/** Empty where the store is not shared. */
export function sharingFamilies(store: SharedDeps, claims: Pick<DeviceClaims, 'counts'>): string {
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
      'Attempts of this server to commit that met commits of another server, which it had to take in before.',
      [{ value: conflicts }],
    ),
    family(
      'onair_device_claims_total',
      'counter',
      'Times that a server has taken the Device over, from another one or again, as this server has seen it.',
      [...claims.counts].map(([device, value]) => ({ labels: { device }, value })),
    ),
  ].join('');
}
