/** The files that an Asset may be: the containers and pictures that are taken, the media types that they get, and the endings that claim them. */

interface Container {
  /** Media types with pictures and without. */
  types: readonly [string, string];
  /** Those of the second form that ffmpeg's demuxer reads: QuickTime beside MP4, WebM beside Matroska. */
  secondForm?: readonly [string, string];
  /** Endings of files with pictures or without. */
  endings: readonly string[];
  /** Endings that promise sound alone. */
  soundEndings?: readonly string[];
}

/**
 * Demuxers that read one file and nothing else, by ffmpeg's names. It is a list of allowed ones: a demuxer that reads other files or URLs
 * (hls, concat, dash, imf, image2 …) or plain text must not become reachable with a new ffmpeg.
 */
export const CONTAINERS: Readonly<Record<string, Container>> = {
  mov: {
    types: ['video/mp4', 'audio/mp4'],
    secondForm: ['video/quicktime', 'audio/mp4'],
    endings: ['mp4', 'm4v', 'mov', 'qt', '3gp', '3g2'],
    soundEndings: ['m4a', 'm4b'],
  },
  matroska: {
    types: ['video/x-matroska', 'audio/x-matroska'],
    secondForm: ['video/webm', 'audio/webm'],
    endings: ['mkv', 'webm'],
    soundEndings: ['mka', 'weba'],
  },
  // An .mpg of a camera or a DVB receiver is often a transport stream.
  mpegts: { types: ['video/mp2t', 'video/mp2t'], endings: ['ts', 'm2ts', 'mts', 'mpg', 'mpeg'] },
  mpeg: { types: ['video/mpeg', 'video/mpeg'], endings: ['mpg', 'mpeg', 'vob'] },
  flv: { types: ['video/x-flv', 'video/x-flv'], endings: ['flv'] },
  avi: { types: ['video/x-msvideo', 'video/x-msvideo'], endings: ['avi'] },
  mxf: { types: ['application/mxf', 'application/mxf'], endings: ['mxf'] },
  ogg: { types: ['video/ogg', 'audio/ogg'], endings: ['ogg', 'ogv'], soundEndings: ['oga', 'opus'] },
  wav: { types: ['audio/wav', 'audio/wav'], endings: ['wav', 'wave'] },
  aiff: { types: ['audio/aiff', 'audio/aiff'], endings: ['aif', 'aiff', 'aifc'] },
  mp3: { types: ['audio/mpeg', 'audio/mpeg'], endings: ['mp3', 'mp2', 'mpg', 'mpeg'] },
  aac: { types: ['audio/aac', 'audio/aac'], endings: ['aac'] },
  flac: { types: ['audio/flac', 'audio/flac'], endings: ['flac'] },
};

export const ACCEPTED = 'MP4, MOV, Matroska, WebM, MPEG-TS, MPEG-PS, FLV, AVI, MXF, Ogg, WAV, AIFF, MP3, AAC or FLAC';

const PICTURES: Readonly<Record<string, string>> = { png: 'image/png', jpg: 'image/jpeg', jpeg: 'image/jpeg' };
/** No Asset is any of these. */
const NEVER = 'gif webp svg bmp tif tiff txt htm html js json xml pdf zip gz sh exe m3u m3u8 mpd srt vtt'.split(' ');

const CLAIMS = claimedTypes();

/** Returns the types that a file with the ending may be. An ending that nobody knows claims nothing: undefined. */
export function typesOf(ending: string): ReadonlySet<string> | undefined {
  return CLAIMS.get(ending);
}

function claimedTypes(): Map<string, Set<string>> {
  const claims = new Map<string, Set<string>>(NEVER.map((ending) => [ending, new Set()]));
  const claim = (ending: string, types: readonly string[]): void =>
    void claims.set(ending, new Set([...(claims.get(ending) ?? []), ...types]));
  for (const [ending, type] of Object.entries(PICTURES)) claim(ending, [type]);
  for (const { types, secondForm = types, endings, soundEndings = [] } of Object.values(CONTAINERS)) {
    for (const ending of endings) claim(ending, [...types, ...secondForm]);
    for (const ending of soundEndings) claim(ending, [types[1], secondForm[1]]);
  }
  return claims;
}
