/** Words of planned actions, which On air and the Scheduler show. */
import type { plannedActionsEn } from '../en/planned-actions.ts';

export const plannedActionsEs: typeof plannedActionsEn = {
  add: (stream) => `Nueva acción planificada de ${stream}`,
  edit: (type, stream) => `Editar ${type} de ${stream}`,
  button: 'Planificar',
  what: 'Qué',
  insert: 'Insertar',
  logo: 'Logo',
  noLogo: 'Sin logo',
  types: {
    start: 'inicio',
    stop: 'parada',
    logo: 'logo',
    blackout: 'negro',
    sourceSwitch: 'fuente',
    publishings: 'destinos',
    metadata: 'cue',
    adValues: 'valores de pausas',
    text: 'texto',
  },
  modes: { Live: 'Volver al programa', 'Black Frame': 'Una imagen negra', File: 'Un archivo' },
  marks: {
    CueOut: 'Cue out: empieza una pausa',
    CueIn: 'Cue in: termina la pausa',
    ScteOut: 'SCTE 35 out',
    ScteIn: 'SCTE 35 in',
    ID3Tag: 'Etiqueta ID3',
    DateRange: 'Intervalo de fechas',
  },
  shown: { show: 'Mostrar', hide: 'Ocultar' },
  noLogoShown: 'sin logo',
  blackoutEnds: 'fin del negro',
  textEnds: 'fin del texto',
  cueOut: (seconds) => `cue ${seconds} s`,
  cue: 'cue',
  cueIn: 'cue in',
};
