/**
 * A player says of itself beside a request how it plays: Common Media Client Data, CTA-5004 and its second version, of which each field is
 * taken that tells who watches and how well. The form is `name=value` with commas between; a name alone is true, text is in quotes, and the second version
 * has lists with the kind of media behind each number: `bl=(4000;a 5000;v)`.
 */
export interface Cmcd {
  /** Session id. */
  sid?: string;
  /** Milliseconds of media that are in the buffer. */
  bl?: number;
  /** The buffer ran empty since the request before. */
  bs?: boolean;
  /** The media is needed at once: at the start, after a seek, or after the buffer ran empty. */
  su?: boolean;
  /** Kind of the object: v, a, av, i, c, tt, k, m, o. */
  ot?: string;
  /** Milliseconds from the wish to play to the first picture; said once. */
  msd?: number;
  /** Milliseconds that playback stood still since it was said last. */
  bsd?: number;
  /** Kind of an event: ps (the state of the player has changed), t (a time is over) and others. */
  e?: string;
  /** State of the player: s (starting), p (playing), r (rebuffering) and others. */
  sta?: string;
  /** Milliseconds since 1970 at which the event happened. */
  ts?: number;
}

/** Session ids have 64 characters at most (CTA-5004). */
const MAX_SID = 64;
const PAIR = /([A-Za-z0-9.-]+)(?:=("(?:[^"\\]|\\.)*"|\([^)]*\)[^,]*|[^,"]*))?\s*(?:,\s*|$)/uy;
/** Header fields of the first version: a field each for how often their values change. */
const HEADERS = ['cmcd-request', 'cmcd-object', 'cmcd-status', 'cmcd-session'];
const IN_QUERY = /(?:^|&)CMCD=([^&]*)/u;

const OF_PICTURES = /(\d{1,15})(?:\.\d+)?;(?:v|av)\b/u;
const MAX_NUMBER = 1e15;

/** Undefined for a request that says nothing. */
export function cmcdOf(query: string, header: (name: string) => string | null | undefined): Cmcd | undefined {
  const [, encoded] = IN_QUERY.exec(query) ?? [];
  if (encoded !== undefined) return parseCmcd(decoded(encoded));
  const given = HEADERS.flatMap((name) => header(name) ?? []);
  return given.length === 0 ? undefined : parseCmcd(given.join(','));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

/** A field that cannot be read ends the reading; those before it count. */
export function parseCmcd(text: string): Cmcd {
  const cmcd: Cmcd = {};
  PAIR.lastIndex = 0;
  for (let found = PAIR.exec(text); found !== null; found = PAIR.exec(text)) {
    take(cmcd, found[1]!, found[2]);
    if (PAIR.lastIndex >= text.length) break;
  }
  return cmcd;
}

function take(cmcd: Cmcd, name: string, value: string | undefined): void {
  switch (name) {
    case 'sid': {
      const sid = textIn(value);
      if (sid !== '' && sid.length <= MAX_SID) cmcd.sid = sid;
      return;
    }
    case 'ot':
    case 'e':
    case 'sta':
      cmcd[name] = textIn(value);
      return;
    case 'bs':
    case 'su':
      cmcd[name] = value === undefined || value === '?1' || value === 'true';
      return;
    case 'bl':
    case 'msd':
    case 'bsd':
    case 'ts': {
      const number = numberIn(value ?? '');
      if (number !== undefined) cmcd[name] = number;
    }
  }
}

function textIn(value = ''): string {
  if (!value.startsWith('"')) return value;
  const text = value.slice(1, -1);
  return text.includes('\\') ? text.replace(/\\(.)/gu, '$1') : text;
}

/** The number for pictures counts, where there is a list. */
function numberIn(value: string): number | undefined {
  const [, ofPictures] = value.startsWith('(') ? (OF_PICTURES.exec(value) ?? []) : [];
  const number = Number.parseInt(ofPictures ?? value.replace('(', ''), 10);
  return number >= 0 && number < MAX_NUMBER ? number : undefined;
}
