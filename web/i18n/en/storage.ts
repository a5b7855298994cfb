export const storageEn = {
  title: 'Storage',
};
