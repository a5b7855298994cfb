import type { sourcesEn } from '../en/sources.ts';

export const sourcesEs: typeof sourcesEn = {
  title: 'Fuentes',
};
