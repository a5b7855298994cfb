export const tokensEn = {
  title: 'Tokens',
};
