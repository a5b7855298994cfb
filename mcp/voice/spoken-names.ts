/**
 * Protects names in a text that is rewritten for speech: each name is masked by one character, the sentence is rewritten, and the names are
 * put back. Otherwise a name that looks like an id, a code or a field would be rewritten with the sentence.
 */

/** These fields of a body hold names: of the thing itself, and of the things it is bound to. */
const NAME_FIELDS = new Set(['name', 'filename', 'username', 'client']);
/** The name in these is that of an operation. */
const CALLS = new Set(['corrected_call', 'call']);
const MAX_DEPTH = 6;
/** A sentence has far fewer names than this, and a page of a list may hold hundreds. */
const MAX_NAMES = 200;

/** The masks are private-use characters, because no keyboard has them: those of plane 15 for known names, those of plane 16 for quotations. */
const KNOWN = 0xf_0000;
const QUOTED = 0x10_0000;
const MARK = /[\u{F0000}-\u{FFFFD}\u{100000}-\u{10FFFD}]/gu;
const PRIVATE = /\p{Co}/gu;
/** A text in quotation marks that is no key of JSON. */
const QUOTATION = /"((?:[^"\\]|\\.)+)"(?!:)|“([^”]+)”/gu;
const LETTER = /[\p{L}\p{N}]/u;
const ADDRESS = /\b[a-z][a-z0-9+.-]*:\/\/(?:[^\s/@]*@)?([^\s?#]*)\S*/giu;
const UNSPEAKABLE = /["“”`{}[\]<>|\\#]/gu;

/** The names anywhere in a body. A call is left out, because its name is that of an operation. */
export function namesIn(body: unknown): Set<string> {
  const names = new Set<string>();
  const look = (value: unknown, depth: number): void => {
    if (typeof value !== 'object' || value === null || depth > MAX_DEPTH || names.size >= MAX_NAMES) return;
    for (const [key, inner] of Object.entries(value)) {
      if (typeof inner === 'string' && NAME_FIELDS.has(key)) names.add(inner);
      else if (!CALLS.has(key)) look(inner, depth + 1);
    }
  };
  look(body, 0);
  return names;
}

export interface MaskedText {
  text: string;
  /** Puts the names back into their places, in a form that can be said. */
  reveal(text: string): string;
}

export function maskNames(text: string, names: Iterable<string>): MaskedText {
  const masked: string[] = [];
  const mask = (plane: number, name: string): string => String.fromCodePoint(plane + masked.push(name) - 1);
  const original = (part: string): string => part.replace(MARK, (mark) => masked[indexOf(mark)] ?? '');
  const longestFirst = [...names].filter((name) => name.trim() !== '').sort((a, b) => b.length - a.length);
  const known = longestFirst.reduce(
    (masking, name) => masking.replace(standingAlone(name), () => mask(KNOWN, name)),
    text.replace(PRIVATE, ''),
  );
  const whole = known.replace(QUOTATION, (_all, straight?: string, curved?: string) =>
    mask(QUOTED, original(straight?.replace(/\\(.)/gu, '$1') ?? curved ?? '')),
  );
  return {
    text: whole,
    reveal: (speech) => speech.replace(MARK, (mark, at: number) => sayable(masked[indexOf(mark)] ?? '', at)),
  };
}

function indexOf(mark: string): number {
  const point = mark.codePointAt(0) ?? 0;
  return point >= QUOTED ? point - QUOTED : point - KNOWN;
}

/** Finds a name that stands by itself: `Ann` is not in `Annual`, and a name in symbols could else be punctuation. */
function standingAlone(name: string): RegExp {
  const literal = name.replace(/[.*+?^${}()|[\]\\/]/gu, '\\$&');
  return LETTER.test(name)
    ? new RegExp(`(?<![\\p{L}\\p{N}])${literal}(?![\\p{L}\\p{N}])`, 'gu')
    : new RegExp(`(?<![^\\s"“(])${literal}(?=[\\s"”.,;:!?)]|$)`, 'gu');
}

/** The name as a voice can say it. A name of symbols alone is described. */
function sayable(name: string, at: number): string {
  const words = name
    .replace(ADDRESS, 'the address $1')
    .replace(UNSPEAKABLE, ' ')
    .replace(/_/gu, ' ')
    .replace(/\s+/gu, ' ')
    .trim();
  const described = LETTER.test(words) ? words : 'one named in symbols';
  return at === 0 && !name.startsWith(described) ? described.charAt(0).toUpperCase() + described.slice(1) : described;
}
