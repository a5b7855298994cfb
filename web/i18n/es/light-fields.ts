import type { lightFieldsEn } from '../en/light-fields.ts';

export const lightFieldsEs: typeof lightFieldsEn = {
  deinterlace: 'Desentrelazar',
  hdr_mode: 'HDR',
  hdr: 'Metadatos de HDR10',
  max_cll: 'Píxel más brillante (cd/m²)',
  max_fall: 'Imagen más brillante en promedio (cd/m²)',
  mastering: 'Pantalla de masterización',
  primaries: 'Primarios',
  'mastering.max': 'Blanco más brillante (cd/m²)',
  'mastering.min': 'Negro (cd/m²)',
};
