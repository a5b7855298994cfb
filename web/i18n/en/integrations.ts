export const integrationsEn = {
  title: 'Integrations',
};
