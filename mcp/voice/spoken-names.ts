/** Names that people gave, kept whole while the sentence around them is made fit to be heard. */

/** Under these a body holds a name, of what it tells and of what that is bound to. */
const NAME_FIELDS = new Set(['name', 'filename', 'username', 'client']);
const DEEPEST = 6;
/** Fewer are said in a sentence by far; a page of a list may hold hundreds. */
const MAX_NAMES = 200;

/** Stand for names: characters that no keyboard has. Those of the second plane stood in quotation marks. */
const KNOWN = 0xf_0000;
const QUOTED = 0x10_0000;
const MARK = /[\u{F0000}-\u{FFFFD}\u{100000}-\u{10FFFD}]/gu;
const PRIVATE = /\p{Co}/gu;
/** A text in quotation marks, where it is no key of JSON. */
const QUOTATION = /"((?:[^"\\]|\\.)+)"(?!:)|“([^”]+)”/gu;
const LETTER = /[\p{L}\p{N}]/u;
const ADDRESS = /\b[a-z][a-z0-9+.-]*:\/\/(?:[^\s/@]*@)?([^\s?#]*)\S*/giu;
const UNSPEAKABLE = /["“”`{}[\]<>|\\#]/gu;

/** Of a body, wherever they stand in it; the call that is offered has the name of an operation. */
export function namesIn(body: unknown): Set<string> {
  const names = new Set<string>();
  const look = (value: unknown, depth: number): void => {
    if (typeof value !== 'object' || value === null || depth > DEEPEST || names.size >= MAX_NAMES) return;
    for (const [key, inner] of Object.entries(value)) {
      if (typeof inner === 'string' && NAME_FIELDS.has(key)) names.add(inner);
      else if (key !== 'corrected_call') look(inner, depth + 1);
    }
  };
  look(body, 0);
  return names;
}

export interface Masked {
  text: string;
  /** The names in their places again, as they are said. */
  reveal(text: string): string;
}

export function masked(text: string, names: Iterable<string>): Masked {
  const held: string[] = [];
  const hold = (plane: number, name: string): string => String.fromCodePoint(plane + held.push(name) - 1);
  const original = (part: string): string => part.replace(MARK, (mark) => held[indexOf(mark)] ?? '');
  const longestFirst = [...names].filter((name) => name.trim() !== '').sort((a, b) => b.length - a.length);
  const known = longestFirst.reduce(
    (told, name) => told.replace(standingAlone(name), () => hold(KNOWN, name)),
    text.replace(PRIVATE, ''),
  );
  const whole = known.replace(QUOTATION, (_all, straight?: string, curved?: string) =>
    hold(QUOTED, original(straight?.replace(/\\(.)/gu, '$1') ?? curved ?? '')),
  );
  return {
    text: whole,
    reveal: (told) => told.replace(MARK, (mark, at: number) => sayable(held[indexOf(mark)] ?? '', at)),
  };
}

function indexOf(mark: string): number {
  const point = mark.codePointAt(0) ?? 0;
  return point >= QUOTED ? point - QUOTED : point - KNOWN;
}

/** `Ann` is not in `Annual`; of a name in symbols each one might be punctuation, were it not by itself. */
function standingAlone(name: string): RegExp {
  const literal = name.replace(/[.*+?^${}()|[\]\\/]/gu, '\\$&');
  return LETTER.test(name)
    ? new RegExp(`(?<![\\p{L}\\p{N}])${literal}(?![\\p{L}\\p{N}])`, 'gu')
    : new RegExp(`(?<![^\\s"“(])${literal}(?=[\\s"”.,;:!?)]|$)`, 'gu');
}

/** As it is, as far as a voice can; what it cannot say is described. */
function sayable(name: string, at: number): string {
  const told = name
    .replace(ADDRESS, 'the address $1')
    .replace(UNSPEAKABLE, ' ')
    .replace(/_/gu, ' ')
    .replace(/\s+/gu, ' ')
    .trim();
  const described = LETTER.test(told) ? told : 'one named in symbols';
  return at === 0 && !name.startsWith(described) ? described.charAt(0).toUpperCase() + described.slice(1) : described;
}
