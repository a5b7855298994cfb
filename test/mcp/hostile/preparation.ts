/** A service that holds everything with a secret in it, and those who will attack it. */
import type { Issuer } from '../../helpers/licences.ts';
import { hashToken } from '../../../domain/shapes/installation/security.ts';
import { addStoredSecrets } from '../../contract/stored-secrets.ts';
import { createResources } from '../../contract/resources.ts';
import { smallBroadcast } from '../../helpers/broadcast.ts';
import type { Service } from '../../helpers/service.ts';
import { stateOf, withStore, type State } from './store-state.ts';

export const ATTACKER = 'attacker_token_0123456789abcdef';
export const EXPIRED = 'expired_token_0123456789abcdef';

export interface Prepared {
  /** Ids of rows that an update may name, by the name of the parameter. */
  victims: Record<string, number>;
  state: State;
}

/** The service is stopped meanwhile: no call could make a token that has expired. */
export async function prepare(service: Service, issuer: Issuer): Promise<Prepared> {
  await addStoredSecrets(createResources(service, issuer));
  const nowhere = { type: 'Stream', settings: { url: 'http://127.0.0.1:9/never.m3u8' } };
  const { livestreamId, channelId, publishingId } = await smallBroadcast(service, [], nowhere);
  for (const name of ['attacker', 'expired']) await service.create('/security/tokens', { name });
  await service.kill('SIGTERM');
  const state = await withStore(service.dataDir, async (store) => {
    await store.tx((tx) => {
      for (const row of tx.find('tokens', {}).rows) {
        const given = { attacker: ATTACKER, expired: EXPIRED }[row.name];
        if (given === undefined) continue;
        const expires_at = row.name === 'expired' ? '2026-01-01T00:00:00.000Z' : null;
        tx.put('tokens', { ...row, token_hash: hashToken(given), expires_at });
      }
    });
    return stateOf(store);
  });
  await service.restart();
  return { victims: { livestreamId, channelId, publishingId }, state };
}
