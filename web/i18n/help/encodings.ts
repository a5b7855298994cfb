/** Help texts of Encodings and their groups. */
import type { HelpTexts } from './texts.ts';

export const encodingsHelp: HelpTexts = {
  'Has video.': ['It has video.', 'Tiene vídeo.'],
  'Has audio.': ['It has audio.', 'Tiene audio.'],
  'mp4v, mpgv: refused.': [],
  'aacp, mpga: refused.': [],
  'kbit/s.': [],
  'Even; null: by aspect.': [
    'Pixels, an even number; empty: follows from the other side.',
    'Píxeles, un número par; vacío: se deduce del otro lado.',
  ],
  'Per second; 0 = as the source.': ['0: as many as the source has.', '0: tantas como tenga la fuente.'],
  'E.g. 16:9; null = as source.': ['Such as 16:9; empty: as the source.', 'Por ejemplo 16:9; vacío: como la fuente.'],
  'auto and true: interlaced frames alone.': [
    'Only frames that are interlaced are changed.',
    'Solo se cambian las imágenes entrelazadas.',
  ],
  'hdr10, hlg: hevc, av1, vp9.': [
    'HDR10 and HLG with HEVC, AV1 and VP9, in ten bits. A copy has what its source has.',
    'HDR10 y HLG con HEVC, AV1 y VP9, en diez bits. Una copia tiene lo que tenga la fuente.',
  ],
  'auto: hardware if any.': [
    'A kind of hardware that is named is needed: a start without it is refused. Automatic falls back to software.',
    'Si se nombra un tipo de hardware, es necesario: sin él no se inicia. Automático pasa a software si hace falta.',
  ],
  'Speed or size.': [
    'A slower one makes better pictures of the same bitrate, and costs more CPU.',
    'Uno más lento da mejor imagen con la misma tasa y cuesta más CPU.',
  ],
  'Options of h264.': [],
  'Options of hevc.': [],
  'E.g. main; null: usual.': ['Such as main; empty: the usual one.', 'Por ejemplo main; vacío: el habitual.'],
  'E.g. 4.1; null: open.': [
    'Such as 4.1; empty: the encoder chooses.',
    'Por ejemplo 4.1; vacío: elige el codificador.',
  ],
  'Seconds apart.': ['Seconds apart.', 'Segundos entre imágenes clave.'],
  '1, 2, 6, 8.': [
    '6 and 8 in AAC and Opus alone; what a source lacks is silent.',
    '6 y 8 solo en AAC y Opus; lo que falta en la fuente queda en silencio.',
  ],
  'Samples per second.': [],
  'Order of the renditions by bitrate in the ladder.': [
    'By bitrate: which one players begin with.',
    'Por tasa: con cuál empiezan los reproductores.',
  ],
  'Ids of the member Encodings, at most 6.': ['At most 6.', 'Como mucho 6.'],
};
