/** Help of the forms of mail rules and of faults that are known, by the text of the API: English, then Spanish. */
import type { HelpTexts } from './texts.ts';

export const mailsHelp: HelpTexts = {
  'false: no mails.': ['Off: it sends nothing.', 'Desactivada: no envía nada.'],
  'Only of these; no tags either: all and Devices.': [
    'Only of these Live streams; with no tags either: of all, and of Devices too.',
    'Solo de estas emisiones; sin etiquetas tampoco: de todas, y también de los dispositivos.',
  ],
  'Or with one of these tags.': [
    'Also of Live streams that have one of these tags.',
    'También de las emisiones que tienen una de estas etiquetas.',
  ],
  'Event kinds.': ['People are told of these.', 'De esto se avisa.'],
  'So long it must last.': [
    'Seconds that a fault must last before a mail goes out.',
    'Segundos que debe durar un fallo antes de enviar un correo.',
  ],
  'No mails then.': [
    'No mails between these times; what still lasts is told when they end.',
    'Sin correos entre estas horas; lo que aún dure se comunica al terminar.',
  ],
  '22:00 (ISO 8601).': ['A time of day, such as 22:00.', 'Una hora, por ejemplo 22:00.'],
  '07:00, likewise.': ['A time of day, such as 07:00.', 'Una hora, por ejemplo 07:00.'],
  'IANA zone.': [
    'The zone of these times, such as Europe/Zurich.',
    'La zona de estas horas, por ejemplo Europe/Madrid.',
  ],
  'E-mail addresses.': ['The mails go to these addresses.', 'Los correos van a estas direcciones.'],
  'daily: one.': [
    'Daily: one mail a day with all faults, in place of one for each.',
    'Diario: un correo al día con todos los fallos, en lugar de uno por cada fallo.',
  ],
  'What is being done, for everybody to read.': [
    'Everybody reads this in the events.',
    'Todos leen esto en los sucesos.',
  ],
};
