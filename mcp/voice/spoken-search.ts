/** What search_tools has found, as it is said: what can be done, by plain summaries. The names are for programs, beside the text. */
import type { Catalogue } from '../../toolkit/catalogue.ts';
import type { SearchAnswer } from '../search/search-answer.ts';
import { speakable, type Telling } from './spoken-text.ts';

/** More than these are not listened to. */
const MAX_TOLD = 3;

export function spokenSearch(
  { tools, workflow, forbidden, fits = true }: SearchAnswer,
  catalogue: Pick<Catalogue, 'find'>,
  telling: Telling,
): string {
  const names = !fits ? [] : [workflow, ...tools.map(({ name }) => name)].filter((name) => typeof name === 'string');
  const told = (name: string): string[] => {
    const summary = catalogue.find(name)?.summary;
    return summary === undefined ? [] : [speakable(summary, telling, 1).replace(/[.;:]/gu, ',').replace(/,$/u, '')];
  };
  // What is near it is not what was asked for.
  if (forbidden !== undefined) return `What fits that is not allowed here: ${told(forbidden.name)[0]}.`;
  const [first, ...others] = [...new Set(names)].slice(0, MAX_TOLD).flatMap(told);
  if (first === undefined) return 'Nothing fits that. Please say it in other words.';
  const more = others.length === 0 ? '' : ` Or this: ${others.join('; ')}.`;
  return `This may be what is meant: ${first}.${more}`;
}
