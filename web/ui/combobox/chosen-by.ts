/** The option that somebody means who types into a picker and goes on without choosing. */
export interface Option<T> {
  value: T;
  label: string;
  /** The softer second line: `SRT, 2 in use`. */
  details?: string;
  /** Shown, and cannot be chosen: the reason stands in `details`. */
  disabled?: boolean;
}

/** absent: no option has that name; several: more than one has; unknown: the list could not be read. */
export type Unchosen = 'absent' | 'several' | 'unknown';

/** Answers the one option that has this whole name, in capitals or not. */
export function chosenBy<T>(typed: string, options: readonly Option<T>[]): Option<T> | Unchosen {
  const name = typed.trim().toLowerCase();
  const found = options.filter(({ label, disabled }) => disabled !== true && label.trim().toLowerCase() === name);
  if (found.length > 1) return 'several';
  return found[0] ?? 'absent';
}
