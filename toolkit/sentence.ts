/** Sentences about the things of an installation: written for a reader, and fit to be read aloud. */
import type { Condition, LivestreamStatusView } from '../domain/shapes/broadcasts/livestream-status.ts';
import { stripInvisible } from './output/visible.ts';

/**
 * A text and the names in it that people gave. A voice leaves out what is written for programs, and only the list tells it that
 * `channelOne` is what somebody calls a Live stream.
 */
export interface Sentence {
  readonly text: string;
  readonly names: readonly string[];
}

type Part = string | number | Sentence;

/** People hear at most one breath of a reason. */
const MAX_REASON = 160;

/** The tag of a template: joins its texts, and the names of the sentences that stand in it. */
export function sentence(texts: readonly string[], ...parts: Part[]): Sentence {
  return joinSentences(
    texts.flatMap((text, at): Part[] => [text, parts[at] ?? '']),
    '',
  );
}

export function joinSentences(parts: readonly Part[], separator: string): Sentence {
  const text = parts.map((part) => (typeof part === 'object' ? part.text : part)).join(separator);
  return { text, names: parts.flatMap((part) => (typeof part === 'object' ? part.names : [])) };
}

/** A name inside a sentence, on one line and without invisible characters. The quotation marks show where it ends: a name is no sentence. */
export function say(name: string): Sentence {
  const text = stripInvisible(name).replace(/\s+/gu, ' ').trim();
  return { text: JSON.stringify(text), names: [text] };
}

/** The first sentence of a reason that a program gave, inside quotation marks: an encoder may report a whole page. */
export function quoteReason(reason: string): string {
  const [first = ''] = stripInvisible(reason)
    .trim()
    .split(/(?<=[.!?])\s+(?=\p{Lu})/u);
  return `"${first.length > MAX_REASON ? `${first.slice(0, MAX_REASON)}…` : first.replace(/\.$/u, '')}"`;
}

export function count(number: number, singular: string, plural = `${singular}s`): string {
  return `${number === 0 ? 'no' : number} ${number === 1 ? singular : plural}`;
}

/** `2 hours 5 minutes`: the two largest units. */
export function duration(seconds: number): string {
  const units = [
    [Math.floor(seconds / 86_400), 'day'],
    [Math.floor(seconds / 3600) % 24, 'hour'],
    [Math.floor(seconds / 60) % 60, 'minute'],
    [Math.round(seconds) % 60, 'second'],
  ] as const;
  const largest = units.filter(([amount]) => amount > 0).slice(0, 2);
  return largest.map(([amount, unit]) => count(amount, unit)).join(' ') || 'no time';
}

const WORDS: Record<Exclude<Condition['kind'], 'behind'>, string> = {
  silence: 'silent',
  black: 'black',
  frozen: 'frozen',
  low_fps: 'short of pictures',
};
export const NOT_WATCHED = 'not watched';

/** Rows of a list may lack the fields. */
type Watched = Partial<Pick<LivestreamStatusView, 'status' | 'conditions' | 'source_watched'>>;

/** `silent for 2 minutes`, or `silent` without `nowMs`; `not watched` where nobody looks; empty where nothing is wrong. */
export function sourceWords({ status, conditions = [], source_watched }: Watched, nowMs?: number): string[] {
  if (status === 2 && source_watched === false) return [NOT_WATCHED];
  return conditions.flatMap(({ kind, since }) => {
    if (kind === 'behind') return [];
    if (nowMs === undefined) return [WORDS[kind]];
    // The clock of the Device may be ahead of this one.
    return [`${WORDS[kind]} for ${duration(Math.max(1, (nowMs - Date.parse(since)) / 1000))}`];
  });
}

/** A broadcast that is slower than real time: what a sentence about it says, and what to do. */
export function lagOf({ conditions = [] }: Watched): { words: string; remedy: string } | undefined {
  const behind = conditions.find(({ kind }) => kind === 'behind');
  if (behind === undefined) return undefined;
  const { fps, wanted_fps, remedy = '' } = behind;
  const pictures = fps === undefined ? '' : `: ${fps} of ${wanted_fps} pictures a second`;
  return { words: `falls behind${pictures}`, remedy };
}

/** All that is wrong, in the words of a list. */
export function conditionWords(row: Watched, nowMs?: number): string[] {
  const lag = lagOf(row);
  return [...(lag === undefined ? [] : [lag.words]), ...sourceWords(row, nowMs)];
}
