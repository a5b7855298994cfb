/** Help texts of planned actions, Schedules, Users and tokens. */
import type { HelpTexts } from './texts.ts';

export const plansHelp: HelpTexts = {
  'What is done.': [],
  'Where to; left out: backupDeviceId, else the least loaded that may take it.': [
    'Empty: the one that listens as a backup, else the one with the most room.',
    'Vacío: el que espera como respaldo; si no, el que tenga más sitio.',
  ],
  'Its Device does not answer: start elsewhere all the same (if it still delivers, Destinations get it twice). Or: its Recording may be cut in two.':
    [
      'Move it although its Device does not answer (if that one still delivers, Destinations get it twice), or although its Recording is cut in two.',
      'Moverla aunque su dispositivo no responda (si este aún entrega, los destinos la reciben dos veces) o aunque su grabación quede partida en dos.',
    ],
  'Until when to try; null: until it is empty. ISO 8601; no offset: local to the service.': [
    'Empty: until nothing is on air there.',
    'Vacío: hasta que no quede nada en el aire.',
  ],
  'In place of execute_at, with at: Schedule of this Live stream; done at each occurrence.': [
    'It is done at each occurrence of this Schedule, and moves with it; empty: once.',
    'Se hace en cada emisión de esta programación y se mueve con ella; vacío: una vez.',
  ],
  'With scheduleId: when at each occurrence.': [],
  'Of each occurrence.': ['Start or end of the occurrence.', 'Inicio o fin de la emisión.'],
  'After it, in seconds; negative: before it.': ['Less than 0: before it.', 'Menos de 0: antes.'],
  'When it is done, ahead. ISO 8601; no offset: local to the service.': [],
  'Occurrences from then onward do not happen. ISO 8601; no offset: local to the Schedule.': [
    'What begins from then on does not happen.',
    'Lo que empiece desde entonces no ocurre.',
  ],
  'Start of the occurrence to leave out. ISO 8601; no offset: local to the Schedule.': [],
  'true: also if it is on air, which ends it.': ['It goes off air now.', 'Sale del aire ahora.'],
  'Or start_at. ISO 8601; no offset: local to timezone.': [],
  'Or end_at, likewise.': [],
  'How it repeats.': [],
  'workdays: Mon-Fri; weekend: Sat, Sun.': [
    'Workdays: Monday to Friday. Weekend: Saturday and Sunday.',
    'Laborables: de lunes a viernes. Fin de semana: sábado y domingo.',
  ],
  'Every n days or weeks.': ['Every so many days or weeks.', 'Cada tantos días o semanas.'],
  'End of the series, likewise; null: none.': ['Empty: without an end.', 'Vacío: sin fin.'],
  'false: paused, nothing of it starts.': ['Paused, nothing of it starts.', 'En pausa, nada de ella empieza.'],
  "IANA zone; null: the service's.": [
    'Such as Europe/Zurich; empty: that of the service.',
    'Por ejemplo Europe/Madrid; vacío: la del servicio.',
  ],
  'Days until it expires, 1-3650; left out: never.': [
    'Days until it ends; empty: never.',
    'Días hasta que termina; vacío: nunca.',
  ],
  'User whose token it is; left out: the caller.': ['Whose token it is; empty: yours.', 'De quién es; vacío: suyo.'],
  'It allows only what this tool profile does; left out: what the role may.': [
    'What it may do; empty: what the role may.',
    'Lo que puede hacer; vacío: lo que puede el rol.',
  ],
  'It allows only these operationIds; a workflow needs those that it performs. Left out: all.': [
    'Only these operations; none chosen: all.',
    'Solo estas operaciones; ninguna elegida: todas.',
  ],
  'Content of the licence file, 16 KB at most; over REST a file may be sent instead.': [
    'The content of the licence file.',
    'El contenido del archivo de licencia.',
  ],
  'Name for the sign-in, 1-30 characters without spaces, unique in upper or lower case.': [
    'At most 30 characters without spaces. Capitals make no difference.',
    'Como mucho 30 caracteres sin espacios. Las mayúsculas no cuentan.',
  ],
  'First name, at most 30 characters.': [],
  'Last name, at most 30 characters.': [],
  'E-mail address, 75 characters.': [],
  'Password of the sign-in, 12-128 characters, never answered; null: none, API tokens only.': [
    '12 to 128 characters. Left empty, the person cannot sign in here, and only tokens work.',
    'De 12 a 128 caracteres. Si se deja vacía, la persona no puede entrar aquí y solo valen los tokens.',
  ],
  '1 = System Administrator, 2 = Operator.': [
    'Administrators change everything; Operators run broadcasts.',
    'Los administradores lo cambian todo; los operadores llevan las emisiones.',
  ],
  'false: sign-in, sessions and tokens are refused.': [
    'Switched off, sign-in, sessions and tokens are refused.',
    'Desactivado, no valen ni la entrada ni las sesiones ni los tokens.',
  ],
  'Ids of the member users.': [],
  'Whether the user may issue API tokens (createApiToken).': [
    'The person may make API tokens.',
    'La persona puede crear tokens de API.',
  ],
  'Language tag (BCP 47), for instance en or de-CH.': ['Such as en, es or de-CH.', 'Por ejemplo en, es o de-CH.'],
  'Role: 1 = System Administrator, 2 = Operator; the same as user_role.': [],
  'true stands for role 1, false for role 2.': [],
};
