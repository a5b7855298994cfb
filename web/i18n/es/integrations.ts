import type { integrationsEn } from '../en/integrations.ts';

export const integrationsEs: typeof integrationsEn = {
  title: 'Integraciones',
  tabs: { drm: 'Proveedores de DRM', cloud: 'Cuentas de nube', transcription: 'Transcripción' },
  drm: {
    add: 'Nuevo proveedor de DRM',
    empty: 'Aún no hay ningún proveedor de DRM. De él reciben sus claves los destinos.',
  },
  cloud: {
    add: 'Nueva cuenta de nube',
    empty: 'Aún no hay ninguna cuenta de nube. Con una, las emisiones pueden ir en la nube.',
  },
  systems: 'Sistemas DRM',
  systemNames: { WIDEVINE: 'Widevine', PLAYREADY: 'PlayReady', FAIRPLAY: 'FairPlay' },
  providers: { SPEKE: 'SPEKE (un servidor de claves)', STATIC: 'Claves fijas, guardadas aquí' },
  use: 'En uso',
  used: 'sí',
  notUsed: 'desactivado',
  transcription: {
    edit: 'Editar la transcripción',
    setting: 'Ajuste',
    value: 'Valor',
    notSetUp: 'Sin configurar. Hacen falta la dirección del proveedor y una clave de API.',
    check: 'Validar la transcripción',
    checking: 'preguntando al proveedor …',
    account: 'Cuenta',
    minutes: 'Minutos usados',
    minutesOf: (used, included) => `${used} de ${included}`,
    changed: 'Último cambio',
  },
};
