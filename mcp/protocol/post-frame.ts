/** Checks the headers of a POST of the older generation before its messages are handled (MCP 2025-11-25, basic/transports). */
import { AppError } from '../../domain/base/errors.ts';
import { refuse } from './http-guard.ts';
import { RPC_INVALID_REQUEST, RPC_PARSE_ERROR, type Message } from '../rpc.ts';

const JSON_TYPE = /^application\/json\s*(?:;|$)/iu;
const BOTH_KINDS = ['application/json', 'text/event-stream'];

export interface PostFrame {
  headers: Headers;
  /** undefined: the body is no message. */
  messages: readonly Message[] | undefined;
  requestId: string;
  /** The revisions of the protocol that are spoken here. */
  revisions: readonly string[];
}

/** RFC 9110 §12.5.1: a range may stand for a kind, case does not count, and who sends no header takes everything. */
function accepts(header: string | null, kind: string): boolean {
  if (header === null) return true;
  const ranges = header.split(',').map((part) => part.split(';')[0]!.trim().toLowerCase());
  return ['*/*', kind.replace(/\/.*/u, '/*'), kind].some((range) => ranges.includes(range));
}

/** The refusal of a POST that is wrongly made. */
export function frameRefusal({ headers, messages, requestId, revisions }: PostFrame): Response | undefined {
  if (!BOTH_KINDS.every((kind) => accepts(headers.get('accept'), kind))) {
    const detail = `The header Accept must name ${BOTH_KINDS.join(' and ')}: the answer is the one or the other.`;
    const error = new AppError('unsupported_media', detail, { facts: { allowed: BOTH_KINDS } });
    return refuse(error, requestId, { status: 406 });
  }
  if (!JSON_TYPE.test(headers.get('content-type') ?? '')) {
    const facts = { allowed: ['application/json'] };
    return refuse(new AppError('unsupported_media', 'The body must be application/json.', { facts }), requestId);
  }
  if (messages === undefined) {
    const detail = 'The body is not a JSON-RPC 2.0 message, nor an array of them.';
    return refuse(new AppError('invalid_input', detail), requestId, { rpcCode: RPC_PARSE_ERROR });
  }
  if (messages.some(({ method }) => method === 'initialize')) {
    if (messages.length === 1) return undefined;
    const detail = 'initialize must be the only message of its POST.';
    return refuse(new AppError('invalid_input', detail), requestId, { rpcCode: RPC_INVALID_REQUEST });
  }
  const revision = headers.get('mcp-protocol-version');
  if (revision === null || revisions.includes(revision)) return undefined;
  const detail = `Revision ${JSON.stringify(revision.slice(0, 40))} of MCP is not spoken here; MCP-Protocol-Version is one of ${revisions.join(', ')}.`;
  return refuse(new AppError('invalid_input', detail, { facts: { allowed: revisions } }), requestId);
}
