/** Refusals of the server in words for people. Its own stay where they say what only this refusal knows. */
import { problemsEn, type Issue } from './help/problems-en.ts';
import { inLanguage, words } from './words.ts';

const problems = inLanguage({ en: problemsEn, es: async () => (await import('./help/problems-es.ts')).problemsEs });

/** Undefined for one that only this refusal has. */
export function remedyText(remedy: string): string | undefined {
  return problems.value.remedies[remedy];
}

/** An obstacle of a start; in English it is empty, because the server says it. */
export function reasonText(code: string): string {
  return problems.value.reasons[code] ?? problems.value.reasons['other'] ?? '';
}

/** The title in the language of the page; undefined where the server's detail is in it already. */
export function problemTitle(code: string | undefined): string | undefined {
  return code === undefined ? undefined : problems.value.titles[code];
}

/** A finding about one field. */
export function issueText(issue: Issue): string {
  const { issues } = problems.value;
  return (issues[issue.code ?? ''] ?? issues['other'])?.(issue) ?? issue.message ?? '';
}

/** The finding about a field of a form that has fields of its own. */
export function fieldError(
  problem: { fields: { errors?: readonly (Issue & { field?: string })[] } } | undefined,
  name: string,
): string | undefined {
  const found = problem?.fields.errors?.find(({ field }) => field === name);
  return found && issueText(found);
}

/** All of it in one line, where there is no room for an alert. */
export function problemLine(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { status, fields } = error as { status?: number; fields?: { code?: string; errors?: readonly Issue[] } };
  if (status === 0) return words.value.notReached;
  const title = problemTitle(fields?.code);
  return title === undefined ? error.message : [title, ...(fields?.errors ?? []).map(issueText)].join(' ');
}
