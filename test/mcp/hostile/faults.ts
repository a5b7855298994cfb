/** An answer to a hostile call must be no fault of the server, must have the form of an answer, and must hold nothing of the server's inside. */
import { ERROR_CODES } from '../../../domain/base/errors.ts';
import { ROOT } from '../../house/sources.ts';

export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  ms: number;
}

export type Api = 'mcp' | 'rest' | 'stdio';

/** Other services that a call asks to reach do not exist here: the one fault of 5xx that is injected. */
const INJECTED = new Set(['upstream_failed', 'timeout']);
const STACK = /\n\s+at .+:\d+:\d+|\bat (?:async )?[\w.<>]+ \((?:file|node):|node_modules|\bdist\/chunk-/u;
/** A refusal is read by a model: it may name what was wrong, not send it back. */
const MAX_REFUSAL = 64 * 1024;
const RPC_INTERNAL = -32603;

export interface FaultCheck {
  /** Sentences, none for an answer that is as it should be. */
  faultsOf(api: Api, answer: Answer, isHead?: boolean): string[];
  /** How often each outcome was seen. */
  readonly seen: Map<string, number>;
}

export function createFaultCheck(secrets: readonly string[]): FaultCheck {
  const seen = new Map<string, number>();
  const count = (outcome: string): void => void seen.set(outcome, (seen.get(outcome) ?? 0) + 1);

  function leaksOf(text: string): string[] {
    const found = [...secrets, `${ROOT}/`]
      .filter((secret) => text.includes(secret))
      .map((secret) => `it shows ${secret.slice(0, 12)}…`);
    return STACK.test(text) ? [...found, `it shows a stack: ${STACK.exec(text)?.[0] ?? ''}`] : found;
  }

  function problemFaults(problem: Record<string, any> | undefined, status?: number): string[] {
    const { code, detail, remedy, request_id } = problem ?? {};
    const known = ERROR_CODES[code as keyof typeof ERROR_CODES] as { status: number } | undefined;
    if (known === undefined) return [`no problem of ours: ${JSON.stringify(problem)?.slice(0, 200)}`];
    count(String(code));
    const faults = [detail, remedy, request_id].some((text) => typeof text !== 'string' || text === '')
      ? ['an incomplete problem']
      : [];
    if (status !== undefined && status !== known.status) faults.push(`${code} with status ${status}`);
    if (known.status >= 500 && !INJECTED.has(String(code))) faults.push(`${code}: ${String(detail)}`);
    return faults;
  }

  /** One JSON-RPC message that answers. */
  function messageFaults(message: Record<string, any>): string[] {
    const { error, result, method } = message;
    if (typeof method === 'string') return [];
    if (error === undefined) {
      if (result?.isError === true) return problemFaults(result.structuredContent);
      count('ok');
      return result === undefined ? ['neither a result nor an error'] : [];
    }
    if (!Number.isInteger(error.code) || typeof error.message !== 'string') return ['no JSON-RPC error'];
    if (error.code === RPC_INTERNAL) return [`an internal error: ${error.message}`];
    return problemFaults(error.data);
  }

  function mcpFaults({ status, headers, text }: Answer): string[] {
    if (text === '') return status === 202 ? [] : [`status ${status} without a body`];
    const type = String(headers['content-type']);
    const events = text
      .split('\n')
      .filter((line) => line.startsWith('data: '))
      .map((line) => line.slice(6));
    const bodies = type.startsWith('text/event-stream') ? events : [text];
    return bodies.flatMap((body) => [JSON.parse(body) as Record<string, any>].flat()).flatMap(messageFaults);
  }

  function restFaults({ status, headers, text }: Answer): string[] {
    if (status < 400) return (count('ok'), []);
    const type = String(headers['content-type']);
    if (type !== 'application/problem+json') return [`status ${status} as ${type}: ${text.slice(0, 100)}`];
    return problemFaults(JSON.parse(text) as Record<string, any>, status);
  }

  return {
    seen,
    faultsOf(api, answer, isHead = false) {
      const { status, text } = answer;
      const faults = leaksOf(`${text}\n${JSON.stringify(answer.headers)}`);
      if (status >= 400 && text.length > MAX_REFUSAL) faults.push(`a refusal of ${text.length} characters`);
      if (isHead) return faults;
      try {
        return [...faults, ...(api === 'rest' ? restFaults(answer) : mcpFaults(answer))];
      } catch (error) {
        return [...faults, `${String(error)}: ${text.slice(0, 200)}`];
      }
    },
  };
}
