/** Other names of fields and values, as operators and the product's own pages use them. */
import { LEGACY_AUDIO, LEGACY_VIDEO } from '../domain/shapes/encodings/encoding.ts';
import { lettersOf } from './input/near-misses.ts';

/** The nouns of fields by their other names, the likeliest noun first. */
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
/** Stored rows may have these values, so they stand in the lists. A new Encoding with one of them is refused. */
const LEGACY: ReadonlySet<string> = new Set([...LEGACY_VIDEO, ...LEGACY_AUDIO]);

/** The known field for another name: `destination` is publishingId, `ladder` encodingGroupId, `sources` channels. */
export function fieldCalled(name: string, known: readonly string[]): string | undefined {
  const [, word = '', group = ''] = /^(.*?)(group)?(?:ids?|names?|s)?$/u.exec(lettersOf(name.slice(0, 100))) ?? [];
  const whole = nounsOf(word + group);
  const nouns = whole.length > 0 ? whole : nounsOf(word).map((noun) => noun + group);
  const forms = nouns.flatMap((noun) => [`${noun}id`, noun, `${noun}s`]);
  const byLetters = new Map(known.map((field) => [lettersOf(field), field]));
  return forms.map((form) => byLetters.get(form.toLowerCase())).find((field) => field !== undefined);
}

/** The allowed value for another name. */
export function valueCalled(name: string, allowed: readonly string[]): string | undefined {
  const value = VALUES[lettersOf(name.slice(0, 100))];
  return value !== undefined && allowed.includes(value) ? value : undefined;
}

/** The values of a list that may be offered to a caller. */
export function offered(allowed: readonly string[]): string[] {
  return allowed.filter((value) => !LEGACY.has(value));
}

function nounsOf(word: string): readonly string[] {
  const noun = Object.keys(NOUNS).find((name) => name.toLowerCase() === word);
  return noun === undefined ? [] : (NOUNS[noun] ?? []);
}
