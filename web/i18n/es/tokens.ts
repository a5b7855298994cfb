import type { tokensEn } from '../en/tokens.ts';

export const tokensEs: typeof tokensEn = {
  title: 'Tokens',
  add: 'Nuevo token',
  create: 'Crear',
  empty: 'No hay ningún token de API. Con uno entra un programa o un asistente.',
  about: 'Los programas y asistentes entran con un token de API. Tiene el rol de su usuario.',
  mayNot: 'Su perfil no permite emitir tokens. Un administrador lo permite en Usuarios, «Editar perfil».',
  name: 'Nombre',
  kid: 'Id de clave',
  created: 'Creado',
  expires: 'Válido hasta',
  never: 'sin fin',
  ended: 'ha terminado',
  revoke: 'Revocar',
  revokeOf: (name) => `Revocar ${name}`,
  revokeTitle: (name) => `¿Revocar ${name}?`,
  revokeEffect: (name) =>
    `Todo programa que usa ${name} se rechaza desde la siguiente llamada. No se puede deshacer.`,
  ready: (name) => `Token ${name}`,
  once: 'Se muestra solo esta vez: se guarda únicamente su hash. Guárdelo ahora en un almacén de secretos.',
  token: 'Token',
  copyToken: 'Copiar el token',
  snippet: 'Para un asistente, como mcpServers',
  copySnippet: 'Copiar la configuración',
  done: 'Listo',
};
