/** Words of the controls that all pages use. */
import type { uiEn } from '../en/ui.ts';

export const uiEs: typeof uiEn = {
  cancel: 'Cancelar',
  save: 'Guardar',
  close: 'Cerrar',
  undo: 'Deshacer',
  more: 'Mostrar más',
  copy: 'Copiar',
  copied: 'Copiado',
  inAudit: 'Buscarlo en Auditoría',
  copyRequestId: 'Copiar id de la petición',
  selectToCopy: 'Selecciónelo para copiar',
  upstream: 'Lo que respondió el otro lado',
  typeNumber: (count) => `Escriba ${count} para continuar`,
  filter: 'Filtrar',
  noMatch: 'Nada coincide.',
  create: (text) => `Nuevo: ${text}`,
  searching: 'Buscando …',
  busy: 'en curso …',
  count: 'Número',
  countOf: (shown, all) => `${shown} de ${all}`,
  notKnown: 'desconocido',
  moveRows: 'Ir de fila en fila',
  open: 'Abrir',
  inTable: (name) => `En ${name}`,
  optional: 'opcional',
};
