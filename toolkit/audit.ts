import type { AuditEntry } from '../domain/security.ts';
import type { Call } from './dispatch.ts';
import { routeOf, type Tool } from './tool.ts';

type Fields = Record<string, unknown>;

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Who did what to which resource, with the names of the fields sent and none of their values. */
export function auditEntry(
  tool: Tool,
  call: Call,
  input: unknown,
  body: unknown,
  outcome: string,
  at: string,
): Omit<AuditEntry, 'id'> {
  const sent = isFields(input) ? input : {};
  const params = routeOf(tool)?.params ?? [];
  const idParam = params.find((name) => name.endsWith('Id'));
  // A workflow takes a name and answers which Live stream it was.
  const answered = isFields(body) ? (isFields(body['data']) ? body['data']['id'] : body['livestreamId']) : undefined;
  const id = idParam === undefined ? answered : sent[idParam];
  return {
    at,
    user: call.caller.username,
    token_kid: call.caller.tokenKid,
    via: call.via,
    operation: tool.name,
    resource: tool.tag,
    resource_id: typeof id === 'number' ? id : null,
    outcome,
    request_id: call.requestId,
    changed: Object.keys(sent)
      .filter((name) => !params.includes(name))
      .slice(0, 50),
  };
}
