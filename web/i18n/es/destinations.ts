import type { destinationsEn } from '../en/destinations.ts';

export const destinationsEs: typeof destinationsEn = {
  title: 'Destinos',
};
