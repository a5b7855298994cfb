import type { assetsEn } from '../en/assets.ts';

export const assetsEs: typeof assetsEn = {
  title: 'Archivos',
};
