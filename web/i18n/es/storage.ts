import type { storageEn } from '../en/storage.ts';

export const storageEs: typeof storageEn = {
  title: 'Almacenamiento',
};
