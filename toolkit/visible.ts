/**
 * Text that users typed, as a model may read it. Invisible format characters (zero-width, bidirectional, tag characters: Unicode
 * category Cf) can hide an instruction or turn a name around. Zero-width joiners stay where script or emoji needs them: between two
 * letters, marks or pictographs.
 */
const INVISIBLE =
  /(?<![\p{L}\p{M}\p{Extended_Pictographic}])[\u200C\u200D]|[\u200C\u200D](?![\p{L}\p{M}\p{Extended_Pictographic}])|(?![\u200C\u200D])\p{Cf}/gu;
/** Nearly all text is ASCII, and finding that out costs a fiftieth of the search for what is invisible. */
// eslint-disable-next-line no-control-regex -- the range is all of ASCII
const BEYOND_ASCII = /[^\u0000-\u007f]/u;

export function stripInvisible(text: string): string {
  return BEYOND_ASCII.test(text) ? text.replace(INVISIBLE, '') : text;
}
