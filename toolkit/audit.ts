/** Entries of the audit: who did what to which resource. */
import { wellFormed } from '../domain/base/errors.ts';
import type { AuditEntry } from '../domain/shapes/installation/security.ts';
import type { Tx } from '../domain/ports/store.ts';
import type { Call } from './call.ts';
import { kindOf } from './tags.ts';
import { routeOf, type Tool } from './tool.ts';
import { stripInvisible } from './output/visible.ts';

/** The caller chooses the names of unknown fields, but neither their number nor their length in the audit. */
const MAX_FIELDS = 50;
const MAX_CHARACTERS = 64;
/** The filters of the audit take names up to this length, so the name of an unknown tool is cut here. */
const MAX_NAME = 100;
const UNKNOWN = '(unknown)';

type Fields = Record<string, unknown>;

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isId(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0;
}

/** Whether the parameter is the id of that kind: `livestreamId` names one of the Live streams. */
function isOf(kind: string, idParam: string): boolean {
  return kind.replaceAll(' ', '').toLowerCase() === `${idParam.replace(/Id$/u, '')}s`.toLowerCase();
}

interface AuditEntryOptions {
  input: unknown;
  body: unknown;
  outcome: string;
  at: string;
}

/**
 * The entry of one call, with the names of the sent fields and none of their values. Without a tool it has the unknown name, as far as it
 * can be read.
 */
export function auditEntry(
  tool: Tool | undefined,
  call: Call,
  { input, body, outcome, at }: AuditEntryOptions,
): Omit<AuditEntry, 'id'> {
  const sent = isFields(input) ? input : {};
  const params = tool === undefined ? [] : routeOf(tool).params;
  const idParam = params.find((name) => name.endsWith('Id'));
  // A workflow takes a name, and its answer has the id of the Live stream.
  const answerId = isFields(body) ? (isFields(body['data']) ? body['data']['id'] : body['livestreamId']) : undefined;
  // The path of a create may name the parent: an action is created under its Live stream.
  const isInAnswer = idParam === undefined || (tool?.effect === 'create' && !isOf(kindOf(tool), idParam));
  const id = isInAnswer ? answerId : sent[idParam];
  return {
    at,
    user: call.caller.username,
    token_kid: call.caller.tokenKid,
    via: call.via,
    operation: tool?.name ?? writtenName(call.operation),
    resource: tool === undefined ? UNKNOWN : kindOf(tool),
    // A refused call may have an id that no row can have, and the audit must stay readable.
    resource_id: isId(id) ? id : null,
    outcome,
    request_id: call.requestId,
    ...(call.caller.client !== undefined && { client: call.caller.client }),
    changed: Object.keys(sent)
      .filter((name) => !params.includes(name))
      .slice(0, MAX_FIELDS)
      .map((name) => wellFormed(name.slice(0, MAX_CHARACTERS))),
  };
}

function writtenName(name: string): string {
  const visible = stripInvisible(name).replace(/\s+/gu, ' ').trim().slice(0, MAX_NAME);
  return visible === '' ? UNKNOWN : visible;
}

export function addAudit(tx: Pick<Tx, 'insert'>, entry: Omit<AuditEntry, 'id'>): void {
  tx.insert('audit', entry);
}
