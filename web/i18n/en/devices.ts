export const devicesEn = {
  title: 'Devices',
};
