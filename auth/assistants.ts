/** The assistants that people have connected by OAuth: each sees and ends their own, an Administrator those of all. */
import { toIso, type Clock } from '../domain/time/clock.ts';
import { notFound } from '../domain/base/errors.ts';
import type { Store } from '../domain/ports/store.ts';
import { presentToken } from '../domain/rules/installation/presented-token.ts';
import { ROLE, type ApiToken, type Caller } from '../domain/shapes/installation/security.ts';
import { revokeToken } from '../domain/rules/installation/token.ts';
import { addAudit } from '../toolkit/audit.ts';
import { accessEnded } from '../toolkit/ended-access.ts';
import { auditEntry } from './session-audit.ts';

type Seen = Pick<Caller, 'userId' | 'username' | 'role' | 'tokenKid'>;

export interface Assistants {
  list(caller: Seen): Promise<ReturnType<typeof presentToken>[]>;
  /** Answers the id of its token once every server refuses it. Rejects with AppError not_found for what the caller may not see. */
  end(caller: Seen, kid: string, requestId: string): Promise<number>;
}

interface AssistantsDeps {
  store: Pick<Store, 'appliedByAll' | 'find' | 'getMany' | 'tx'>;
  clock: Pick<Clock, 'now'>;
}

export function createAssistants({ store, clock }: AssistantsDeps): Assistants {
  const isSeen = ({ role, userId }: Seen, token: Readonly<ApiToken>): boolean =>
    token.oauth !== undefined && (role === ROLE.admin || token.userId === userId);
  return {
    async list(caller) {
      const { rows } = await store.find('tokens', { where: { revoked_at: null } });
      const tokens = rows.filter((token) => isSeen(caller, token));
      const users = await store.getMany('users', [...new Set(tokens.map(({ userId }) => userId))]);
      return tokens.map((token) => presentToken(token, users.find(({ id }) => id === token.userId)?.username ?? ''));
    },
    async end(caller, kid, requestId) {
      const id = await store.tx((tx) => {
        const now = toIso(clock.now());
        const token = revokeToken(tx, now, kid, (found) => isSeen(caller, found));
        if (token === undefined) throw notFound('connected assistant', kid);
        const entry = auditEntry('endAssistant', 'ok', caller.username, requestId, now);
        const via = caller.tokenKid === null ? 'ui' : 'rest';
        addAudit(tx, { ...entry, via, token_kid: caller.tokenKid, resource_id: token.id });
        return token.id;
      });
      await accessEnded(store, undefined);
      return id;
    },
  };
}
