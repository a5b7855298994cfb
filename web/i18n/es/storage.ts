import type { storageEn } from '../en/storage.ts';

export const storageEs: typeof storageEn = {
  title: 'Almacenamiento',
  tabs: { remote: 'Carpetas remotas', target: 'Carpetas de destino', recordings: 'Copia y conservación' },
  remote: {
    add: 'Nueva carpeta remota',
    empty: 'Aún no hay ninguna carpeta remota. En ella se copian las grabaciones y de ella se leen archivos.',
  },
  target: {
    add: 'Nueva carpeta de destino',
    empty: 'Aún no hay ninguna carpeta de destino. A ella se exportan los clips.',
  },
  place: 'Dónde',
  protocol: 'Protocolo',
  protocols: { WEBDAV: 'WebDAV', NFS: 'NFS' },
  tls: { required: 'Obligatorio', offered: 'Si el servidor lo ofrece', none: 'Ninguno: todo va sin cifrar' },
  secure: 'Conexión',
  isSecure: 'cifrada',
  isClear: 'sin cifrar',
  password: 'Contraseña',
  recordings: {
    about: 'Lo que ocurre con las grabaciones se fija en el destino que las hace.',
    empty: 'Ningún destino graba todavía.',
    destination: 'Destino',
    backup: 'Copia',
    noBackup: 'ninguna',
    folder: (id) => `Carpeta remota ${id}`,
    deletedAfter: 'Se borran tras',
    days: (days) => (days === 1 ? '1 día' : `${days} días`),
    never: 'nunca',
    toDestinations: 'A los destinos',
  },
};
