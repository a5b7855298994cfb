export const systemEn = {
  title: 'System',
};
