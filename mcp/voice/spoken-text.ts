/** From a text that is read to one that is heard: without ids, addresses, JSON, quotation marks and names of fields; with the names that people gave. */
import { spokenTime } from '../../toolkit/subjects/schedule.ts';
import { masked } from './spoken-names.ts';

const INSTANT = /\b\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)/gu;
const ADDRESS = /\b[a-z][a-z0-9+.-]*:\/\/\S*[^\s.,;!?)]/giu;
/** `Device 3 "Studio"`: what is said is the name. */
const ID_BEFORE_NAME = /\b\d{1,15} (?=[\u{100000}-\u{10FFFD}])/gu;
const NOUN =
  '(?:Live stream|Channel|Publishing|Destination|Encoding|Schedule|Recording|Planned action|Asset|Device|skip|occurrence|Cloud account|' +
  'Schedule skip|Token|Firing|Clip|Track|User|DRM provider|Remote folder|Target folder|(?:Publishing|Encoding|Device|Destination|User) group)';
/** An id alone: `Live stream 12`, `Schedule 4`. */
const NONE_OF_ID = new RegExp(`\\b([Nn]o) (${NOUN}) \\d{1,15}\\b`, 'gu');
const NOUN_AND_ID = new RegExp(`\\b(${NOUN}) \\d{1,15}\\b`, 'gu');
/** Names of operations and fields, which are called by programs. */
const PROGRAM_WORD =
  /\b(?:get|add|update|delete|create|list|start|stop|runtime|set|search|call|validate|skip|restore|patch|enable|disable|toggle|channel|schedule|upload|download|read|export|install|revoke|hand)[A-Z_]\w*|\b\w+Ids?\b|\bid[A-Z]\w*|\b(?:ids?|dry_run|wait_seconds|stream_key|occurrence_start|execute_at|confirmStopLive)\b/u;
const PROGRAM_WORDS = new RegExp(PROGRAM_WORD, 'gu');
const SENTENCE_END = /(?<=[.!?])\s+(?=[\p{Lu}\p{Co}])/u;
const CLAUSE_END = /;\s+/u;
/** `bound are 4, 5`: nobody knows them by number. */
const ONLY_IDS = /^\w+ are (?:\d+(?:, \d+)*|none)[.!?]?$/u;
/** `publishings.0.backup: `: where in a call something stands. */
const FIELD_PATH = /(^|[.!?]\s+)[a-z]\w*(?:\.\w+)*:\s+/gu;
/** `St. Mary` ends no sentence. */
const SHORT = 12;
const MAX_CHARACTERS = 300;

/** What the words depend on beside the text. */
export interface Telling {
  /** IANA zone by which clock times are said. */
  zone: string;
  nowMs: number;
  /** Names that people gave, as far as they are known; what stands in quotation marks is one too. */
  given?: Iterable<string> | undefined;
}

/** The text, fit to be heard; of its sentences the first `most`. */
export function speakable(text: string, { zone, nowMs, given = [] }: Telling, most = Infinity): string {
  const names = masked(text, given);
  const told = names.text
    .replace(INSTANT, (instant) => spokenTime(Date.parse(instant), zone, nowMs))
    .replace(ADDRESS, 'an address')
    .replace(ID_BEFORE_NAME, '')
    .replace(NONE_OF_ID, '$1 such $2')
    .replace(NOUN_AND_ID, 'that $1')
    .replace(/\b(that|such) Live stream\b/gu, '$1 stream')
    .replace(/\bhas status \d \(([\w ]+)\)/gu, 'is $1')
    .replace(/\bin status \d \(([\w ]+)\) only\b/gu, 'while it is $1 only')
    .replace(FIELD_PATH, '$1');
  const kept = told.split(SENTENCE_END).flatMap(withoutProgramWords);
  const clean = (kept.length > 0 ? kept : [told.replace(PROGRAM_WORDS, 'that')])
    .join(' ')
    .replace(/\s*\((?:status|user_role|code) [^)]*\)/gu, '')
    .replace(/\s*→\s*/gu, ' to ')
    .replace(/["“”`{}[\]<>|\\#]/gu, '')
    .replace(/(?<=\w)_(?=\w)/gu, ' ')
    .replace(/\s+/gu, ' ')
    .replace(/\s+(?=[.,;!?])/gu, '')
    .replace(/(^|[.!?]\s+)(\p{Ll})/gu, (_all, before: string, letter: string) => before + letter.toUpperCase())
    .trim();
  return names.reveal(most === Infinity ? clean : brief(clean, most));
}

/** The sentence, or what of it is for people; nothing of one that is all for programs. */
function withoutProgramWords(sentence: string): string[] {
  const clauses = sentence.split(CLAUSE_END);
  const isForPeople = (part: string): boolean => !PROGRAM_WORD.test(part) && !ONLY_IDS.test(part);
  // What follows a colon is nothing without what is before it.
  const kept = clauses.flatMap((clause) => [clause, clause.split(/:\s/u)[0]!].find(isForPeople) ?? []);
  if (kept.join() === clauses.join()) return [sentence];
  const told = kept.join('; ').replace(/[.!?]+$/u, '');
  return told === '' ? [] : [`${told}.`];
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

/** What tells a preview names the fields that would change as programs do. */
export function inWords(text: string, { changes }: Record<string, unknown>): string {
  const rows = Array.isArray(changes) ? (changes as { fields?: { field: string }[] }[]) : [];
  const fields = new Set(rows.flatMap((row) => (row.fields ?? []).map(({ field }) => field)));
  return text.replace(/\b[a-z][\w.]*/gu, (word) => (fields.has(word) ? spokenField(word) : word));
}

/** The first `most` sentences of a text, and no more than a breath holds. */
export function brief(text: string, most = 2): string {
  const told: string[] = [];
  let sentences = 0;
  for (const sentence of text.split(SENTENCE_END)) {
    if (sentences === most || (told.length > 0 && told.join(' ').length + sentence.length > MAX_CHARACTERS)) break;
    told.push(sentence);
    if (sentence.length > SHORT) sentences += 1;
  }
  return told.join(' ');
}
