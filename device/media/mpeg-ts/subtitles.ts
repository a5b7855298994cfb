/** Subtitles that come as streams of their own: DVB subtitles (ETSI EN 300 743) and teletext (EN 300 472). They are told, and not carried. */
import type { ElementaryStream } from './psi.ts';

const PRIVATE_DATA = 0x06;
/** Descriptors of EN 300 468 §6.2, and how long the entry of a language is in each. */
const KINDS = [
  { tag: 0x59, name: 'DVB subtitles', entryBytes: 8 },
  { tag: 0x56, name: 'Teletext', entryBytes: 5 },
] as const;

/** Each language of each stream once. */
export function subtitlesOf(streams: readonly ElementaryStream[]): string[] {
  const names = streams.filter(({ type }) => type === PRIVATE_DATA).flatMap(({ descriptors }) => namesIn(descriptors));
  return [...new Set(names)];
}

function namesIn(descriptors: Buffer): string[] {
  const names: string[] = [];
  for (let at = 0; at + 2 <= descriptors.length; at += 2 + descriptors[at + 1]!) {
    const kind = KINDS.find(({ tag }) => tag === descriptors[at]);
    const end = Math.min(descriptors.length, at + 2 + descriptors[at + 1]!);
    if (kind === undefined) continue;
    for (let entry = at + 2; entry + kind.entryBytes <= end; entry += kind.entryBytes)
      names.push(nameOf(kind.name, descriptors.toString('latin1', entry, entry + 3)));
  }
  return names;
}

const LINE = /Stream #\d+:\d+(?:\[\w+\])?(?:\((\w+)\))?: Subtitle: (dvb_subtitle|dvb_teletext)/gu;

/** The same in the lines in which ffmpeg describes its input. */
export function subtitlesIn(notes: string): string[] {
  const names = [...notes.matchAll(LINE)].map(([, language = '', codec]) =>
    nameOf(KINDS[codec === 'dvb_subtitle' ? 0 : 1].name, language),
  );
  return [...new Set(names)];
}

function nameOf(kind: string, language: string): string {
  return /^[a-z]{3}$/iu.test(language) ? `${kind} (${language.toLowerCase()})` : kind;
}
