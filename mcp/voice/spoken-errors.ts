/** Refusals for the profile voice: what is in the way, and what to say next. */
import { ERROR_CODES, type ErrorCode, type FieldIssue, type Problem } from '../../domain/errors.ts';
import { inWords, speakable, spokenField, type Telling } from './spoken-text.ts';
import { namesIn } from './spoken-names.ts';

/** After what is in the way, what the person may say or do. */
const NEXT: Record<ErrorCode, string> = {
  invalid_input: 'Please say it again with that.',
  unauthenticated: 'Please have the token of this assistant renewed.',
  forbidden: 'Please ask an administrator.',
  profile_forbidden: 'Please use the web page or ask an administrator.',
  not_found: 'Please say another name.',
  unknown_operation: 'Please say it in other words.',
  method_not_allowed: 'Please say it in other words.',
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

/** Messages of findings that go on from the field's name; others are sentences by themselves. */
const PREDICATE =
  /^(?:must|is|are|has|have|does|do|may|can|cannot|holds?|takes?|belongs|names|needs|leaves|cuts|lies|ends)\b/u;

export function spokenError(problem: Problem, telling: Telling): string {
  const given = new Set([...(telling.given ?? []), ...namesIn(problem)]);
  const say = (text: string, most: number): string => {
    const said = speakable(text, { ...telling, given }, most);
    return /[.!?]$/u.test(said) ? said : `${said}.`;
  };
  return [...reasons(problem, say), nextOf(problem, say)].join(' ');
}

type Say = (text: string, most: number) => string;

function nextOf({ code, remedy, ...facts }: Problem, say: Say): string {
  if (facts['matches'] !== undefined) return 'Which one do you mean?';
  return remedy === ERROR_CODES[code].remedy ? NEXT[code] : say(remedy, 1);
}

function reasons(problem: Problem, say: Say): string[] {
  const { code, detail, errors, matches, nearest } = problem as Problem & {
    matches?: NamedThing[];
    nearest?: (NamedThing | string)[];
  };
  if (code === 'profile_forbidden') return ['That cannot be done by voice.'];
  if (code === 'unknown_operation') return ['I do not know how to do that.'];
  if (matches !== undefined) return [say(`That fits several: ${either(matches, 'and')}`, 1)];
  if (errors !== undefined && (code === 'invalid_input' || detail.startsWith(`${errors[0]?.field}: `)))
    return findings(errors, say);
  const near = (nearest ?? []).filter((each): each is NamedThing => typeof each !== 'string');
  // What would happen is told before it is asked for.
  const most = code === 'confirmation_required' ? 2 : 1;
  return [
    say(inWords(detail, problem), most),
    ...(near.length > 0 ? [say(`Did you mean ${either(near, 'or')}?`, 1)] : []),
  ];
}

/** The one that can be answered by saying more comes first. */
function findings(errors: readonly FieldIssue[], say: Say): string[] {
  const [first, ...others] = errors.filter(({ code }) => code === 'required').concat(errors);
  if (first === undefined) return ['Something is missing.'];
  const { meant } = first as { meant?: NamedThing };
  if (meant !== undefined) return [say(`That would be ${meant.name}`, 1)];
  const more = others.some((issue) => issue.field !== first.field) ? ['And there is more.'] : [];
  return [say(finding(first), 1), ...more];
}

function finding({ field: path, code, message, nearest, expected }: FieldIssue): string {
  const field = spokenField(path);
  if (code === 'required' && message.startsWith('is required')) return `I was not told the ${field}`;
  // What it is made of is for programs.
  if (expected === 'object' || expected === 'array') return `I did not understand the ${field}`;
  if (message.startsWith('is not a field')) {
    const meant = typeof nearest === 'string' ? `; did you mean the ${spokenField(nearest)}?` : '';
    return `I do not know what ${field} is for here${meant}`;
  }
  const told = message.replace(/[;.]? ?did you mean .*$/u, '').replace(/^invalid$/iu, 'is not valid');
  return PREDICATE.test(told) ? `The ${field} ${told}` : told;
}

function either(things: readonly NamedThing[], word: 'and' | 'or'): string {
  const names = things.slice(0, 5).map(({ name }) => name);
  const last = names.pop() ?? '';
  return names.length === 0 ? last : `${names.join(', ')} ${word} ${last}`;
}
