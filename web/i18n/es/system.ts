import type { systemEn } from '../en/system.ts';

export const systemEs: typeof systemEn = {
  title: 'Sistema',
};
