/** Refusals for the profile voice: the obstacle in words, and the next thing to say. */
import { ERROR_CODES, type ErrorCode, type FieldIssue, type Problem } from '../../domain/base/errors.ts';
import { inWords, speakable, spokenField, type SpeechContext } from './spoken-text.ts';
import { namesIn } from './spoken-names.ts';

/** The next thing that the person may say or do, after the obstacle. */
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
  stale_owner: 'Please try again shortly.',
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

/** The beginning of a message that goes on from the field's name; other messages are sentences by themselves. */
const PREDICATE =
  /^(?:must|is|are|has|have|does|do|may|can|cannot|holds?|takes?|belongs|names|needs|leaves|cuts|lies|ends)\b/u;

export function spokenError(problem: Problem, context: SpeechContext): string {
  const names = new Set([...(context.names ?? []), ...namesIn(problem)]);
  const speak = (text: string, maxSentences: number): string => {
    const speech = speakable(text, { ...context, names }, maxSentences);
    return /[.!?]$/u.test(speech) ? speech : `${speech}.`;
  };
  return [...reasons(problem, speak), nextOf(problem, speak)].join(' ');
}

type Speak = (text: string, maxSentences: number) => string;

function nextOf({ code, remedy, ...facts }: Problem, speak: Speak): string {
  if (facts['matches'] !== undefined) return 'Which one do you mean?';
  return remedy === ERROR_CODES[code].remedy ? NEXT[code] : speak(remedy, 1);
}

function reasons(problem: Problem, speak: Speak): string[] {
  const { code, detail, errors, matches, nearest } = problem as Problem & {
    matches?: NamedThing[];
    nearest?: (NamedThing | string)[];
  };
  if (code === 'profile_forbidden') return ['That cannot be done by voice.'];
  if (code === 'unknown_operation') return ['I do not know how to do that.'];
  if (matches !== undefined) return [speak(`That fits several: ${either(matches, 'and')}`, 1)];
  const near = (nearest ?? []).filter((each): each is NamedThing => typeof each !== 'string');
  const question = near.length > 0 ? [speak(`Did you mean ${either(near, 'or')}?`, 1)] : [];
  if (errors !== undefined && (code === 'invalid_input' || detail.startsWith(`${errors[0]?.field}: `)))
    return [...findings(errors, speak), ...(errors.length === 1 ? question : [])];
  // Before a confirmation the person hears the effect, which may take a second sentence.
  const maxSentences = code === 'confirmation_required' ? 2 : 1;
  return [speak(inWords(detail, problem), maxSentences), ...question];
}

/** A missing field comes first, because the person can answer it by saying more. */
function findings(errors: readonly FieldIssue[], speak: Speak): string[] {
  const [first, ...others] = errors.filter(({ code }) => code === 'required').concat(errors);
  if (first === undefined) return ['Something is missing.'];
  const { meant } = first as { meant?: NamedThing };
  if (meant !== undefined) return [speak(`That would be ${meant.name}`, 1)];
  const more = others.some((issue) => issue.field !== first.field) ? ['And there is more.'] : [];
  return [speak(finding(first), 1), ...more];
}

function finding({ field: path, code, message, nearest, expected }: FieldIssue): string {
  const field = spokenField(path);
  if (code === 'required' && message.startsWith('is required')) return `I was not told the ${field}`;
  // The parts of an object or a list are for programs.
  if (expected === 'object' || expected === 'array') return `I did not understand the ${field}`;
  if (message.startsWith('is not a field')) {
    const meant = typeof nearest === 'string' ? `; did you mean the ${spokenField(nearest)}?` : '';
    return `I do not know what ${field} is for here${meant}`;
  }
  const words = message.replace(/[;.]? ?did you mean .*$/u, '').replace(/^invalid$/iu, 'is not valid');
  return PREDICATE.test(words) ? `The ${field} ${words}` : words;
}

function either(things: readonly NamedThing[], word: 'and' | 'or'): string {
  const names = things.slice(0, 5).map(({ name }) => name);
  const last = names.pop() ?? '';
  return names.length === 0 ? last : `${names.join(', ')} ${word} ${last}`;
}
