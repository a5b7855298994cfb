import type { devicesEn } from '../en/devices.ts';

export const devicesEs: typeof devicesEn = {
  title: 'Dispositivos',
};
