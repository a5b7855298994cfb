import type { auditEn } from '../en/audit.ts';

export const auditEs: typeof auditEn = {
  title: 'Auditoría',
  about:
    'Todo cambio, permitido o rechazado, todo inicio de sesión y todo token rechazado. Nunca se anotan los valores.',
  user: 'Usuario',
  operation: 'Operación',
  requestId: 'Id de la petición',
  from: 'Desde',
  to: 'Hasta',
  zone: (zone) => `Hora de ${zone}`,
  via: 'Vía',
  outcome: 'Resultado',
  all: 'Todo',
<<<<<<< HEAD
  vias: {
=======
  viaNames: {
>>>>>>> i15-admin
    rest: 'API (rest)',
    mcp: 'Asistente (mcp)',
    cli: 'Línea de órdenes (cli)',
    ui: 'Inicio de sesión (ui)',
    schedule: 'Programación',
  },
  refused: 'Rechazado',
  clear: 'Quitar el filtro',
  at: 'Cuándo',
  resource: 'Recurso',
  ok: 'bien',
  details: 'Detalles',
  detailsOf: (operation, id) => `Detalles de ${operation} ${id}`,
  changed: 'Campos',
  token: 'Token',
  count: 'Equivale a',
  calls: (count) => `${count} llamadas`,
  none: 'Ninguna llamada así ha cambiado nada.',
  noTime: 'Esa hora no existe en esta zona: el reloj se adelanta entonces.',
};
