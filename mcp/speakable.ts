/** From a text that is read to one that is heard: without ids, addresses, JSON, quotation marks and names of fields. */
import { spokenTime } from '../toolkit/schedule.ts';

const INSTANT = /\b\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)/gu;
const ADDRESS = /\b[a-z][a-z0-9+.-]*:\/\/\S*[^\s.,;!?)]/giu;
/** `Device 3 "Studio"`: what is said is the name. */
const ID_BEFORE_NAME = /\b\d{1,15} (?=["“])/gu;
/** An id alone: `Live stream 12`, `Schedule 4`. */
const NOUN_AND_ID =
  /\b(Live stream|Channel|Publishing|Destination|Encoding|Schedule|Recording|Planned action|Asset|Device|skip|occurrence|Cloud account|(?:Publishing|Encoding|Device|Destination) group) \d{1,15}\b/gu;
/** Names of operations and fields, which are called by programs. */
const PROGRAM_WORD =
  /\b(?:get|add|update|delete|create|list|start|stop|runtime|set|search|call|validate|skip|restore|patch|enable|disable|toggle|channel|schedule)(?:[A-Z_]\w*)\b|\b\w+Ids?\b|\bid[A-Z]\w*|\b(?:dry_run|wait_seconds|stream_key|occurrence_start|execute_at|confirmStopLive)\b/u;
const SENTENCE_END = /(?<=[.!?])\s+(?=\p{Lu})/u;
/** `St. Mary` ends no sentence. */
const SHORT = 12;
const MOST_CHARACTERS = 300;

/** By which clock times are said. */
export interface Telling {
  /** IANA zone. */
  zone: string;
  nowMs: number;
}

/** The whole text, fit to be heard. */
export function speakable(text: string, { zone, nowMs }: Telling): string {
  const told = text
    .replace(INSTANT, (instant) => spokenTime(Date.parse(instant), zone, nowMs))
    .replace(ADDRESS, 'an address')
    .replace(ID_BEFORE_NAME, '')
    .replace(NOUN_AND_ID, 'that $1')
    .replace(/\bthat Live stream\b/gu, 'that stream');
  const kept = told.split(SENTENCE_END).filter((sentence) => !PROGRAM_WORD.test(sentence));
  return (kept.length > 0 ? kept : [told.replace(new RegExp(PROGRAM_WORD, 'gu'), 'that')])
    .join(' ')
    .replace(/\s*\((?:status|user_role|code) [^)]*\)/gu, '')
    .replace(/["“”`{}[\]<>|\\#]/gu, '')
    .replace(/(?<=\w)_(?=\w)/gu, ' ')
    .replace(/\s+/gu, ' ')
    .replace(/\s+(?=[.,;!?])/gu, '')
    .trim();
}

/** The first `most` sentences of a text, and no more than a breath holds. */
export function brief(text: string, most = 2): string {
  const told: string[] = [];
  let sentences = 0;
  for (const sentence of text.split(SENTENCE_END)) {
    if (sentences === most || (told.length > 0 && told.join(' ').length + sentence.length > MOST_CHARACTERS)) break;
    told.push(sentence);
    if (sentence.length > SHORT) sentences += 1;
  }
  return told.join(' ');
}
