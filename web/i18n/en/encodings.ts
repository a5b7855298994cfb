export const encodingsEn = {
  title: 'Encodings',
};
