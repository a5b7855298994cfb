/** Words of the page Walls in Spanish. */
import type { wallsEn } from '../../en/on-air/walls.ts';

export const wallsEs: typeof wallsEn = {
  title: 'Murales',
  about: 'Un mural llena un monitor con los cuadros de sus emisiones. Todos aquí los comparten.',
  add: 'Nuevo mural',
  empty: 'Todavía no hay ningún mural. Uno llena un monitor con las emisiones que elija.',
  layouts: { '1': '1 cuadro', '4': '2 × 2', '9': '3 × 3', '16': '4 × 4', '25': '5 × 5' },
  shows: 'Muestra',
  named: (count) => (count === 1 ? '1 emisión' : `${count} emisiones`),
  tagged: (tags) => `etiquetas ${tags}`,
  others: 'todas las demás en el aire',
  fields: {
    layout: 'Disposición',
    livestreamIds: 'Emisiones, en el orden de sus cuadros',
    others: 'Todas las demás',
  },
  show: 'Mostrar',
  showOf: (name) => `Mostrar ${name}`,
  links: 'Pantallas',
  aboutLinks:
    'Quien abre el enlace de una pantalla ve este mural sin iniciar sesión, y no puede cambiar nada. No tiene fin hasta que se revoca.',
  addLink: 'Nuevo enlace de pantalla',
  create: 'Crear',
  noLinks: 'Ninguna pantalla muestra este mural sin iniciar sesión.',
  seen: 'Vista por última vez',
  never: 'nunca',
  revoke: 'Revocar',
  revokeOf: (name) => `Revocar ${name}`,
  revokeTitle: (name) => `¿Revocar ${name}?`,
  revokeEffect: (name) => `La pantalla ${name} se apaga enseguida. No se puede deshacer.`,
  ready: (name) => `Enlace de ${name}`,
  once: 'Se muestra solo esta vez: se guarda únicamente un hash. Ábralo ahora en la pantalla.',
  copy: 'Copiar el enlace',
  done: 'Listo',
  deleteEffect: (name) => `Las pantallas que muestran ${name} se apagan, y sus enlaces ya no abren nada.`,
};
