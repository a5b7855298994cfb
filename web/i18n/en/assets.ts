export const assetsEn = {
  title: 'Assets',
};
