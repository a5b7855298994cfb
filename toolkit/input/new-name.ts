/** A new name has no character that nobody sees, or that turns the others around: two names that look alike would be two things. */
import { invalidInput, type FieldIssue } from '../../domain/base/errors.ts';
import { invisibleIn } from '../output/visible.ts';

/** The fields by which people tell things apart; one of them is a list. */
const NAMES = ['name', 'alias', 'client', 'tags'] as const;
/** The names of Unicode for those that come with copied text. */
const WORDS: Readonly<Record<string, string>> = {
  '\u00ad': 'soft hyphen',
  '\u200b': 'zero width space',
  '\u200c': 'zero width non-joiner',
  '\u200d': 'zero width joiner',
  '\u200e': 'left-to-right mark',
  '\u200f': 'right-to-left mark',
  '\u202a': 'left-to-right embedding',
  '\u202b': 'right-to-left embedding',
  '\u202c': 'pop directional formatting',
  '\u202d': 'left-to-right override',
  '\u202e': 'right-to-left override',
  '\u2028': 'line separator',
  '\u2029': 'paragraph separator',
  '\u2060': 'word joiner',
  '\u2066': 'left-to-right isolate',
  '\u2067': 'right-to-left isolate',
  '\u2068': 'first strong isolate',
  '\u2069': 'pop directional isolate',
  '\ufeff': 'zero width no-break space',
};

/** Throws AppError invalid_input that names the character. A name that `present` has already stays as it is. */
export function assertVisibleNames(sent: unknown, present: Readonly<Record<string, unknown>> = {}): void {
  const fields = (sent ?? {}) as Readonly<Record<string, unknown>>;
  const issues = NAMES.flatMap((field): FieldIssue[] => {
    const value = fields[field];
    if (value === present[field]) return [];
    if (!Array.isArray(value)) return visibleIssues(field, value);
    return value.flatMap((each: unknown, at) => visibleIssues(`${field}.${at}`, each));
  });
  if (issues.length > 0) throw invalidInput(issues);
}

function visibleIssues(field: string, name: unknown): FieldIssue[] {
  const character = typeof name === 'string' ? invisibleIn(name.trim()) : undefined;
  if (character === undefined) return [];
  const code = `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
  const word = WORDS[character] === undefined ? '' : ` (${WORDS[character]})`;
  const message = `must not contain the invisible character ${code}${word}; leave it out`;
  return [{ field, code: 'invisible_character', message }];
}
