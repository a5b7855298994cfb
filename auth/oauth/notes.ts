/** The entries of the audit about assistants that people connect. */
import type { AuditEntry, Via } from '../../domain/shapes/installation/security.ts';
import type { Tx } from '../../domain/ports/store.ts';
import { addAudit } from '../../toolkit/audit.ts';

export interface Noted {
  operation: 'connectAssistant' | 'exchangeCode' | 'refreshToken' | 'disconnectAssistant';
  outcome: string;
  /** Name of the assistant. */
  client: string;
  username: string;
  kid: string | null;
  tokenId: number | null;
  at: string;
  requestId: string;
  /** The operation says it when left out. */
  via?: Via;
}

/** A consent is given on a page of ours; the rest is between the assistant and the server. */
export function note(tx: Pick<Tx, 'insert'>, noted: Noted): void {
  const entry: Omit<AuditEntry, 'id'> = {
    at: noted.at,
    user: noted.username,
    token_kid: noted.kid,
    via: noted.via ?? (noted.operation === 'connectAssistant' ? 'ui' : 'oauth'),
    operation: noted.operation,
    resource: 'Security',
    resource_id: noted.tokenId,
    outcome: noted.outcome,
    request_id: noted.requestId,
    changed: [],
    client: noted.client,
  };
  addAudit(tx, entry);
}
