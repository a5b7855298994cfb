/** A server that is cut off from the database: it admits nobody a minute later, and a wait for it is over then, and not before. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createAuth } from '../../auth/auth.ts';
import { hashToken, type ApiToken } from '../../domain/shapes/installation/security.ts';
import { addUsers } from '../app/users.ts';
import { sharedServer } from '../helpers/postgres.ts';
import { serversOnALine } from './shared-members.ts';

const SECRET = 'token of somebody who leaves';

it('a revocation is answered after a minute where a server is cut off, which refuses everybody by then', async (t) => {
  const [one, two, line] = await serversOnALine(t, await (await sharedServer()).database());
  await addUsers(one);
  const token = { name: 'leaver', kid: 'leaver', userId: 1, token_hash: hashToken(SECRET), expires_at: null };
  const { id } = await one.tx((tx) =>
    tx.insert('tokens', { ...token, revoked_at: null } as unknown as Omit<ApiToken, 'id'>),
  );
  const auth = createAuth({ store: two, clock: two.clock });
  const origin = { requestId: 'r', via: 'rest' } as never;
  await auth.authenticate(SECRET, origin);
  line.stall();
  await one.tx((tx) => tx.put('tokens', { ...tx.get('tokens', id)!, revoked_at: '2026-01-01T00:00:00.000Z' }));
  await auth.authenticate(SECRET, origin);
  await one.appliedByAll();
  await assert.rejects(auth.authenticate(SECRET, origin), { code: 'unavailable' });
  line.mend();
});
