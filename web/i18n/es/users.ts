import type { usersEn } from '../en/users.ts';

export const usersEs: typeof usersEn = {
  title: 'Usuarios',
  tabs: { users: 'Usuarios', groups: 'Grupos' },
  users: { add: 'Nuevo usuario', empty: 'No hay ningún usuario.' },
  groups: { add: 'Nuevo grupo', empty: 'Aún no hay ningún grupo de usuarios.' },
  username: 'Nombre de usuario',
  person: 'Persona',
  role: 'Rol',
  roles: { 1: 'Administrador', 2: 'Operador' },
  roleText: {
    1: 'Administrador: puede hacerlo todo; se ocupa de usuarios, almacenamiento y sistema.',
    2: 'Operador: lleva las emisiones y no cambia nada de usuarios, almacenamiento o sistema.',
  },
  state: 'Acceso',
  active: 'permitido',
  disabled: 'desactivado',
  noPassword: 'sin contraseña',
  disable: 'Desactivar',
  disableOf: (name) => `Desactivar ${name}`,
  disableTitle: (name) => `¿Desactivar ${name}?`,
  disabling: 'desactivando …',
  enable: 'Activar',
  enableOf: (name) => `Activar ${name}`,
  sessionsEnd: (count) =>
    count === 0
      ? 'No hay ninguna sesión abierta.'
      : count === 1
        ? '1 sesión termina al instante.'
        : `${count} sesiones terminan al instante.`,
  tokensEnd: (count) =>
    count === 0
      ? 'No hay ningún token de API.'
      : count === 1
        ? '1 token de API se rechaza desde entonces.'
        : `${count} tokens de API se rechazan desde entonces.`,
  counting: 'contando sus sesiones …',
  reversible: 'Activar lo deja entrar de nuevo.',
  deleteText: (name) => `${name} desaparece, con todas sus sesiones y tokens de API. No se puede deshacer.`,
  openNow: 'Abierto ahora',
  sessions: (count) => (count === 1 ? '1 sesión' : `${count} sesiones`),
  tokens: (count) => (count === 1 ? '1 token de API' : `${count} tokens de API`),
  mayIssue: 'Puede emitir tokens',
  language: 'Idioma',
  passwords: 'Contraseñas hasta ahora',
  editProfile: 'Editar perfil',
  editProfileOf: (name) => `Editar perfil de ${name}`,
  members: 'Miembros',
  memberCount: (count) => (count === 1 ? '1 usuario' : `${count} usuarios`),
};
