/** Refusals for the profile voice: what is in the way, and what to say next. */
import type { ErrorCode, FieldIssue, Problem } from '../domain/errors.ts';
import { brief, speakable, type Telling } from './speakable.ts';

/** After what is in the way, what the person may say or do. */
const NEXT: Record<ErrorCode, string> = {
  invalid_input: 'Please say it again with that.',
  unauthenticated: 'Please have the token of this assistant renewed.',
  forbidden: 'Please ask an administrator.',
  profile_forbidden: 'Please use the web page or ask an administrator.',
  not_found: 'Please say another name.',
  unknown_operation: 'Please say it in other words.',
  conflict: 'Please say what to do instead.',
  in_use: 'Please free it there first.',
  wrong_state: 'Please ask for its status first.',
  confirmation_required: 'Shall I go on?',
  retired: 'Please say it in other words.',
  version_mismatch: 'It was changed meanwhile; please ask for it again.',
  too_large: 'Please use the web page for that.',
  unsupported_media: 'Please use the web page for that.',
  rule_violated: 'Please choose something else.',
  idempotency_mismatch: 'Please say it again.',
  unsupported_by_device: 'Please choose another Device.',
  rate_limited: 'Please wait a moment.',
  internal: 'Please tell the administrator.',
  upstream_failed: 'Please have that looked at, then say it again.',
  no_capacity: 'Please stop another broadcast, or name another Device.',
  unavailable: 'Please try again shortly.',
  timeout: 'Please ask for the status first.',
};

interface NamedThing {
  name: string;
}

export function spokenError(problem: Problem, telling: Telling): string {
  const next = problem['matches'] === undefined ? NEXT[problem.code] : 'Which one do you mean?';
  return `${speakable(reason(problem), telling)} ${next}`;
}

function reason(problem: Problem): string {
  const { code, detail, errors, matches, nearest } = problem as Problem & {
    matches?: NamedThing[];
    nearest?: (NamedThing | string)[];
  };
  if (code === 'profile_forbidden') return 'That cannot be done by voice.';
  if (code === 'unknown_operation') return 'I do not know how to do that.';
  if (matches === undefined && code === 'invalid_input' && errors !== undefined) return sentence(errors);
  if (matches !== undefined) return `That fits several: ${either(matches, 'and')}.`;
  const first = brief(detail, 1);
  const whole = /[.!?]$/u.test(first) ? first : `${first}.`;
  const near = (nearest ?? []).filter((each): each is NamedThing => typeof each !== 'string');
  return near.length > 0 ? `${whole} Did you mean ${either(near, 'or')}?` : whole;
}

function sentence(errors: readonly FieldIssue[]): string {
  const [first, ...others] = errors.filter(({ code }) => code === 'required').concat(errors);
  if (first === undefined) return 'Something is missing.';
  const { meant } = first as { meant?: NamedThing };
  if (meant !== undefined) return `That would be ${meant.name}.`;
  const field = spokenField(first.field);
  const more = others.some((issue) => issue.field !== first.field) ? ', and there is more' : '';
  if (first.code === 'required') return `I was not told the ${field}${more}.`;
  return `The ${field} ${first.message.replace(/;? ?did you mean .*$/u, '')}${more}.`;
}

/** `publishings.0.publishingId` → `publishing`. */
function spokenField(field: string): string {
  const last = field.split('.').findLast((part) => /\D/u.test(part)) ?? field;
  return last
    .replace(/Id$/u, '')
    .replace(/([a-z])([A-Z])/gu, '$1 $2')
    .replace(/_/gu, ' ')
    .toLowerCase()
    .replace(/^livestream$/u, 'name of the stream');
}

function either(things: readonly NamedThing[], word: 'and' | 'or'): string {
  const names = things.slice(0, 5).map(({ name }) => name);
  const last = names.pop() ?? '';
  return names.length === 0 ? last : `${names.join(', ')} ${word} ${last}`;
}
