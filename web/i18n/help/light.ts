/** Help of what an Encoding says of its light, by the text of the API: English, then Spanish. */
import type { HelpTexts } from './texts.ts';

export const lightHelp: HelpTexts = {
  'Metadata of hdr10.': [
    'For HEVC and AV1. Empty: what the source says, or a display of P3 with 1000 cd/m².',
    'Para HEVC y AV1. Vacío: lo que diga la fuente, o una pantalla P3 de 1000 cd/m².',
  ],
  'MaxCLL, cd/m²; null = source.': [
    'MaxCLL in cd/m²; empty: what the source says.',
    'MaxCLL en cd/m²; vacío: lo que diga la fuente.',
  ],
  'MaxFALL, cd/m²; null = source.': [
    'MaxFALL in cd/m²; empty: what the source says.',
    'MaxFALL en cd/m²; vacío: lo que diga la fuente.',
  ],
  'Display of the grading; null = source.': [
    'The display on which it was graded; empty: what the source says.',
    'La pantalla en la que se etalonó; vacío: lo que diga la fuente.',
  ],
  'Its primaries.': ['White is D65.', 'El blanco es D65.'],
  'Its white, cd/m².': [],
  'Its black, cd/m².': [],
};
