/** The fields of an Encoding that say what is done with fields and light. */
export const lightFieldsEn = {
  deinterlace: 'Deinterlace',
  hdr_mode: 'HDR',
  hdr: 'HDR10 metadata',
  max_cll: 'Brightest pixel (cd/m²)',
  max_fall: 'Brightest picture in the mean (cd/m²)',
  mastering: 'Mastering display',
  primaries: 'Primaries',
  'mastering.max': 'Brightest white (cd/m²)',
  'mastering.min': 'Black (cd/m²)',
};
