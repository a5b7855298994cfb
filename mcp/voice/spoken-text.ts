/**
 * Turns a written text into one that is heard: without ids, addresses, JSON, quotation marks and names of fields, but with the names that
 * people gave.
 */
import { spokenTime } from '../../toolkit/subjects/schedule.ts';
import { maskNames } from './spoken-names.ts';

const INSTANT = /\b\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)/gu;
const ADDRESS = /\b[a-z][a-z0-9+.-]*:\/\/\S*[^\s.,;!?)]/giu;
/** In `Device 3 "Studio"` only the name is said. */
const ID_BEFORE_NAME = /\b\d{1,15} (?=[\u{100000}-\u{10FFFD}])/gu;
const NOUN =
  '(?:Live stream|Channel|Publishing|Destination|Encoding|Schedule|Recording|Planned action|Asset|Device|skip|occurrence|Cloud account|' +
  'Schedule skip|Token|Firing|Clip|Track|User|DRM provider|Remote folder|Target folder|(?:Publishing|Encoding|Device|Destination|User) group)';
/** An id without a name: `Live stream 12`, `Schedule 4`. */
const NONE_OF_ID = new RegExp(`\\b([Nn]o) (${NOUN}) \\d{1,15}\\b`, 'gu');
const NOUN_AND_ID = new RegExp(`\\b(${NOUN}) \\d{1,15}\\b`, 'gu');
/** Names of operations and fields, which are for programs. */
const PROGRAM_WORD =
  /\b(?:get|add|update|delete|create|list|start|stop|runtime|set|search|call|validate|skip|restore|patch|enable|disable|toggle|channel|schedule|upload|download|read|export|install|revoke|hand)[A-Z_]\w*|\b\w+Ids?\b|\bid[A-Z]\w*|\b(?:ids?|dry_run|wait_seconds|stream_key|occurrence_start|execute_at|confirmStopLive|confirmStopDestination)\b/u;
const PROGRAM_WORDS = new RegExp(PROGRAM_WORD, 'gu');
const SENTENCE_END = /(?<=[.!?])\s+(?=[\p{Lu}\p{Co}])/u;
const CLAUSE_END = /;\s+/u;
/** Nobody knows things by number, as in `bound are 4, 5`. */
const ONLY_IDS = /^\w+ are (?:\d+(?:, \d+)*|none)[.!?]?$/u;
/** The place of a value in a call, as `publishings.0.backup: `. */
const FIELD_PATH = /(^|[.!?]\s+)[a-z]\w*(?:\.\w+)*:\s+/gu;
/** A shorter part such as `St. Mary` is no sentence of its own. */
const MAX_ABBREVIATION = 12;
const MAX_CHARACTERS = 300;

/** The context of a text: its spoken words depend on it. */
export interface SpeechContext {
  /** IANA zone by which clock times are said. */
  zone: string;
  nowMs: number;
  /** Names that people gave, as far as they are known; every quotation counts as one too. */
  names?: Iterable<string> | undefined;
}

/** The first `maxSentences` sentences of the text, fit to be heard. */
export function speakable(text: string, { zone, nowMs, names = [] }: SpeechContext, maxSentences = Infinity): string {
  const masked = maskNames(text, names);
  const words = masked.text
    .replace(INSTANT, (instant) => spokenTime(Date.parse(instant), zone, nowMs))
    .replace(ADDRESS, 'an address')
    .replace(ID_BEFORE_NAME, '')
    .replace(NONE_OF_ID, '$1 such $2')
    .replace(NOUN_AND_ID, 'that $1')
    .replace(/\b(that|such) Live stream\b/gu, '$1 stream')
    .replace(/\bhas status \d \(([\w ]+)\)/gu, 'is $1')
    .replace(/\bin status \d \(([\w ]+)\) only\b/gu, 'while it is $1 only')
    .replace(FIELD_PATH, '$1');
  const sentences = words.split(SENTENCE_END).flatMap(withoutProgramWords);
  const clean = (sentences.length > 0 ? sentences : [words.replace(PROGRAM_WORDS, 'that')])
    .join(' ')
    .replace(/\s*\((?:status|user_role|code) [^)]*\)/gu, '')
    .replace(/\s*→\s*/gu, ' to ')
    .replace(/["“”`{}[\]<>|\\#]/gu, '')
    .replace(/(?<=\w)_(?=\w)/gu, ' ')
    .replace(/\s+/gu, ' ')
    .replace(/\s+(?=[.,;!?])/gu, '')
    .replace(/(^|[.!?]\s+)(\p{Ll})/gu, (_all, before: string, letter: string) => before + letter.toUpperCase())
    .trim();
  return masked.reveal(maxSentences === Infinity ? clean : brief(clean, maxSentences));
}

/** The parts of the sentence that are for people: all, some or none of it. */
function withoutProgramWords(sentence: string): string[] {
  const clauses = sentence.split(CLAUSE_END);
  const isForPeople = (part: string): boolean => !PROGRAM_WORD.test(part) && !ONLY_IDS.test(part);
  // A part after a colon means nothing without the part before it.
  const parts = clauses.flatMap((clause) => [clause, clause.split(/:\s/u)[0]!].find(isForPeople) ?? []);
  if (parts.join() === clauses.join()) return [sentence];
  const words = parts.join('; ').replace(/[.!?]+$/u, '');
  return words === '' ? [] : [`${words}.`];
}

/** `publishings.0.publishingId` → `publishing`. */
export function spokenField(field: string): string {
  const last = field.split('.').findLast((part) => /\D/u.test(part)) ?? field;
  return last
    .replace(/Id$/u, '')
    .replace(/([a-z])([A-Z])/gu, '$1 $2')
    .replace(/_/gu, ' ')
    .toLowerCase()
    .replace(/^livestream$/u, 'name of the stream');
}

/** The message of a preview with the changed fields in words: it names them as programs do. */
export function inWords(text: string, { changes }: Record<string, unknown>): string {
  const rows = Array.isArray(changes) ? (changes as { fields?: { field: string }[] }[]) : [];
  const fields = new Set(rows.flatMap((row) => (row.fields ?? []).map(({ field }) => field)));
  return text.replace(/\b[a-z][\w.]*/gu, (word) => (fields.has(word) ? spokenField(word) : word));
}

/** The first sentences of a text, and no more characters than people listen to in one go. */
export function brief(text: string, maxSentences = 2): string {
  const parts: string[] = [];
  let sentences = 0;
  for (const sentence of text.split(SENTENCE_END)) {
    const isTooLong = parts.length > 0 && parts.join(' ').length + sentence.length > MAX_CHARACTERS;
    if (sentences === maxSentences || isTooLong) break;
    parts.push(sentence);
    if (sentence.length > MAX_ABBREVIATION) sentences += 1;
  }
  return parts.join(' ');
}
