/** What operators, and the product's own pages, call the things that fields and values name otherwise. */
import { LEGACY_AUDIO, LEGACY_VIDEO } from '../domain/encoding.ts';
import { lettersOf } from './input/near-misses.ts';

/** By what is said, the nouns of fields, the likeliest first. */
const NOUNS: Readonly<Record<string, readonly string[]>> = {
  destination: ['publishing', 'element'],
  output: ['publishing', 'element'],
  restream: ['publishing'],
  source: ['channel'],
  input: ['channel'],
  camera: ['channel'],
  feed: ['channel'],
  ladder: ['encodingGroup'],
  profile: ['encoding'],
  rendition: ['encoding', 'quality', 'element'],
  stream: ['livestream'],
  broadcast: ['livestream'],
  show: ['livestream'],
  encoder: ['device'],
  pool: ['idEncoderGroup'],
  deviceGroup: ['idEncoderGroup'],
  member: ['element', 'device'],
  title: ['name'],
  perPage: ['pageSize'],
  limit: ['pageSize'],
  count: ['pageSize'],
  row: ['pageSize'],
  rowsPerPage: ['pageSize'],
};
const VALUES: Readonly<Record<string, string>> = {
  aac: 'mp4a',
  h265: 'hevc',
  x265: 'hevc',
  avc: 'h264',
  x264: 'h264',
  weekdays: 'workdays',
};
/** In lists because they are read and kept; a new profile with one is refused. */
const LEGACY: ReadonlySet<string> = new Set([...LEGACY_VIDEO, ...LEGACY_AUDIO]);

/** The one of `known` that is called `given`: `destination` is publishingId, `ladder` encodingGroupId, `sources` channels. */
export function fieldCalled(given: string, known: readonly string[]): string | undefined {
  const [, word = '', group = ''] = /^(.*?)(group)?(?:ids?|names?|s)?$/u.exec(lettersOf(given.slice(0, 100))) ?? [];
  const whole = nounsOf(word + group);
  const nouns = whole.length > 0 ? whole : nounsOf(word).map((noun) => noun + group);
  const forms = nouns.flatMap((noun) => [`${noun}id`, noun, `${noun}s`]);
  const byLetters = new Map(known.map((name) => [lettersOf(name), name]));
  return forms.map((form) => byLetters.get(form.toLowerCase())).find((name) => name !== undefined);
}

/** The one of a list's values that is called `given`. */
export function valueCalled(given: string, allowed: readonly string[]): string | undefined {
  const value = VALUES[lettersOf(given.slice(0, 100))];
  return value !== undefined && allowed.includes(value) ? value : undefined;
}

/** Those of a list that may be offered to a caller. */
export function offered(allowed: readonly string[]): string[] {
  return allowed.filter((value) => !LEGACY.has(value));
}

function nounsOf(said: string): readonly string[] {
  const noun = Object.keys(NOUNS).find((name) => name.toLowerCase() === said);
  return noun === undefined ? [] : (NOUNS[noun] ?? []);
}
