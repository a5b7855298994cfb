/** onair as its own authorization server (OAuth 2.1), for assistants that people connect to MCP. */
import type { Clock } from '../../domain/time/clock.ts';
import type { Store } from '../../domain/ports/store.ts';
import { createClientDocuments, type ClientDocuments } from './client-document.ts';
import { createClients, type OAuthClients } from './clients.ts';
import { exchangeCode, issueCode, type CodeExchange, type Consent } from './codes.ts';
import { refreshTokens, revokeTokens, type Refresh, type Tokens } from './tokens.ts';

export interface OAuth {
  readonly clients: OAuthClients;
  /** Answers the code of a consent. */
  consent(consent: Consent): Promise<string>;
  exchange(exchange: CodeExchange): Promise<Tokens>;
  refresh(refresh: Refresh): Promise<Tokens>;
  revoke(revocation: Parameters<typeof revokeTokens>[1]): Promise<void>;
}

interface OAuthDeps {
  store: Store;
  clock: Pick<Clock, 'now'>;
  /** Left out: those of the public network. */
  documents?: ClientDocuments | undefined;
}

export function createOAuth({ store, clock, documents = createClientDocuments({ clock }) }: OAuthDeps): OAuth {
  const deps = { store, clock };
  const refreshing = new Map<string, Promise<Tokens>>();
  return {
    clients: createClients({ ...deps, documents }),
    consent: (consent) => issueCode(deps, consent),
    exchange: (exchange) => exchangeCode(deps, exchange),
    refresh(refresh) {
      // A client whose calls all meet the end of its access token refreshes once for each, at the same moment: that is one refresh.
      const key = JSON.stringify([refresh.refreshToken, refresh.clientId, refresh.scope]);
      const present = refreshing.get(key);
      if (present !== undefined) return present;
      const running = refreshTokens(deps, refresh).finally(() => refreshing.delete(key));
      refreshing.set(key, running);
      return running;
    },
    revoke: (revocation) => revokeTokens(deps, revocation),
  };
}
