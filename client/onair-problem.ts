/** A refusal as it is thrown: an Error with the members of the problem. */
import type { OnairProblem as Declared, Schemas } from './types.d.ts';

type Problem = Schemas['Problem'];

/** Members of every Error, which no fact may replace. */
const OWN = new Set(['name', 'message', 'stack', 'cause']);

class ThrownProblem extends Error {
  constructor(problem: Problem, options?: { cause?: unknown }) {
    super(problem.detail, options);
    this.name = 'OnairProblem';
    Object.assign(this, Object.fromEntries(Object.entries(problem).filter(([member]) => !OWN.has(member))));
  }
}
export const OnairProblem = ThrownProblem as unknown as typeof Declared;

/** A proxy may refuse in the place of the service, in words of its own. */
export async function problemOf(response: Response): Promise<Declared> {
  const body = (await response.json().catch(() => undefined)) as Partial<Problem> | undefined;
  if (typeof body?.code === 'string' && typeof body.detail === 'string') return new OnairProblem(body as Problem);
  const { status, statusText, headers } = response;
  return new OnairProblem({
    ...problem(
      status === 503 ? 'unavailable' : 'upstream_failed',
      `The answer is ${status} ${statusText}, without a reason.`,
    ),
    status,
    request_id: headers.get('X-Request-Id') ?? '',
  });
}

export function unreachable(url: string, cause: unknown): Declared {
  return new OnairProblem(
    problem('unavailable', `No service answers at ${url}. Check the address, and that it runs.`),
    {
      cause,
    },
  );
}

function problem(code: 'unavailable' | 'upstream_failed', detail: string): Problem {
  const words = code.replaceAll('_', ' ');
  const remedy = 'Try again later; if it stays so, ask the administrator of the service.';
  return { type: `urn:onair:error:${code}`, title: words, status: 503, detail, code, request_id: '', remedy };
}
