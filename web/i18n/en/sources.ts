export const sourcesEn = {
  title: 'Sources',
};
