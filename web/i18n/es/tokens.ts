import type { tokensEn } from '../en/tokens.ts';

export const tokensEs: typeof tokensEn = {
  title: 'Tokens',
};
