/** Refusals of the server in words for people. Its own stay where they say what only this refusal knows. */
import { problemsEn, type Issue } from './help/problems-en.ts';
import { inLanguage } from './words.ts';

const problems = inLanguage({ en: problemsEn, es: async () => (await import('./help/problems-es.ts')).problemsEs });

export function remedyText(remedy: string): string {
  return problems.value.remedies[remedy] ?? remedy;
}

/** The title in the language of the page; undefined where the server's detail is in it already. */
export function problemTitle(code: string | undefined): string | undefined {
  return code === undefined ? undefined : problems.value.titles[code];
}

/** A finding about one field. */
export function issueText(issue: Issue): string {
  return problems.value.issues[issue.code ?? '']?.(issue) ?? issue.message ?? '';
}
