import type { encodingsEn } from '../en/encodings.ts';

export const encodingsEs: typeof encodingsEn = {
  title: 'Codificaciones',
};
