/** Characters of line 21: CEA-608-E tables 49 (basic), 50 (special) and 5 to 10 (extended, of Western Europe). */

/** Basic characters are ASCII but for these. */
const BASIC: Record<number, string> = {
  0x27: '’',
  0x2a: 'á',
  0x5c: 'é',
  0x5e: 'í',
  0x5f: 'ó',
  0x60: 'ú',
  0x7b: 'ç',
  0x7c: '÷',
  0x7d: 'Ñ',
  0x7e: 'ñ',
  0x7f: '█',
};
/** From 0x30 on; the ninth is a blank that shows what lies behind it. */
const SPECIAL = [...'®°½¿™¢£♪à\u00a0èâêîôû'];
/** From 0x20 on, behind 0x12: Spanish, other signs, French. */
const EXTENDED_1 = [..."ÁÉÓÚÜü‘¡*'—©℠•“”ÀÂÇÈÊËëÎÏïÔÙùÛ«»"];
/** From 0x20 on, behind 0x13: Portuguese, German, Danish. */
const EXTENDED_2 = [...'ÃãÍÌìÒòÕõ{}\\^_|~ÄäÖöß¥¤¦ÅåØø┌┐└┘'];

export function basicCharacter(code: number): string {
  return BASIC[code] ?? String.fromCharCode(code);
}

export function specialCharacter(code: number): string {
  return SPECIAL[code & 0x0f]!;
}

/** `set`: 0x12 or 0x13. */
export function extendedCharacter(set: number, code: number): string {
  return (set === 0x12 ? EXTENDED_1 : EXTENDED_2)[code & 0x1f]!;
}
