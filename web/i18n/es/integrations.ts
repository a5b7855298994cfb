import type { integrationsEn } from '../en/integrations.ts';

export const integrationsEs: typeof integrationsEn = {
  title: 'Integraciones',
};
