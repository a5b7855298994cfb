/** Help texts of Live streams and of acts on them. */
import type { HelpTexts } from './texts.ts';

export const liveHelp: HelpTexts = {
  'Logo on the picture.': [],
  'Text on the picture.': [],
  'Asset in the bucket logos; empty = none.': [
    'A logo of the page Assets; empty: none.',
    'Un logotipo de la página Recursos; vacío: ninguno.',
  ],
  'Where on the picture.': ['Where on the picture.', 'En qué parte de la imagen.'],
  '%d %m %Y %H %M %S = time, %C = chronometer.': [
    '%d %m %Y %H %M %S are day, month, year, hour, minute, second; %C counts since the start.',
    '%d %m %Y %H %M %S son día, mes, año, hora, minuto y segundo; %C cuenta desde el inicio.',
  ],
  'Pixels at 1080 lines.': ['Pixels at 1080 lines.', 'Píxeles con 1080 líneas.'],
  'Colour, #rrggbb.': ['Such as #ffffff.', 'Por ejemplo #ffffff.'],
  'Whether it is shown.': ['It is shown.', 'Se muestra.'],
  'Words to group by.': [
    'Words by which Live streams are found and grouped.',
    'Palabras para encontrar y agrupar las emisiones.',
  ],
  'Back or moved first: 9 before 0.': [
    'Who comes back or moves first: 9 before 0.',
    'Quién vuelve primero tras una pérdida, o pasa primero a otro dispositivo: 9 antes que 0.',
  ],
  'Edges cut off the source.': [
    'What is cut off each edge of the picture.',
    'Lo que se corta de cada borde de la imagen.',
  ],
  'Per cent.': ['Per cent.', 'Por ciento.'],
  'What viewers get while the source is lost.': [
    'What viewers get while the source is lost.',
    'Lo que reciben los espectadores mientras falta la fuente.',
  ],
  'While the source is lost.': [
    'What viewers get while the source is lost.',
    'Lo que reciben los espectadores mientras falta la fuente.',
  ],
  'mode file: Asset in the bucket files.': ['A file of the page Assets.', 'Un archivo de la página Recursos.'],
  'Channel that takes over.': ['It takes over when the first one fails.', 'Toma el relevo cuando falla la primera.'],
  'Pushed Channel: second Device that listens, to go on at.': [
    'A second machine that listens for the encoder, and where the show goes on.',
    'Una segunda máquina que espera al codificador y donde sigue la emisión.',
  ],
  'When the backup goes on air, and returns.': [
    'When the backup source goes on air, and when it returns.',
    'Cuándo entra la fuente de reserva y cuándo vuelve.',
  ],
  'What makes the backup go on air.': ['What makes the backup go on air.', 'Lo que pone en el aire la reserva.'],
  'How long it must last.': ['So long the cause must last.', 'Cuánto debe durar la causa.'],
  'auto: back once the source is good again; hold: by hand.': [
    'Automatic: back once the source is good again. Hold: by hand.',
    'Automático: vuelve cuando la fuente está bien. Mantener: a mano.',
  ],
  'How long the source is good first.': [
    'So long the source must be good before it returns.',
    'Cuánto debe estar bien la fuente antes de volver.',
  ],
  'Gain, mute and delay.': [],
  'Gain in dB.': [],
  'No sound goes out.': ['No sound goes out.', 'No sale sonido.'],
  'Positive: sound later; negative: earlier.': [
    'More than 0: the sound comes later; less than 0: earlier.',
    'Más de 0: el sonido llega más tarde; menos de 0: antes.',
  ],
  'Faults that are events; null: none, as in a copy.': [
    'What counts as silence. How long it may last is among the alarms.',
    'Qué se considera silencio. Cuánto puede durar está en las alarmas.',
  ],
  'null: not watched.': [],
  'dBFS that nothing exceeds.': ['Quieter than this is silence.', 'Más bajo que esto es silencio.'],
  'Seconds until a fault of the source is an alarm; 0: not watched.': [
    'How long a fault of the source lasts before it is told. 0: it is not told.',
    'Cuánto dura un fallo de la fuente antes de avisarse. 0: no se avisa.',
  ],
  'No sound.': [],
  'A black picture.': [],
  'A still picture.': [],
  'No source.': [],
  'As in alarms.': ['The same as among the alarms.', 'Lo mismo que en las alarmas.'],
  'Captions; from the next start on.': ['From the next start on.', 'A partir del próximo inicio.'],
  'Captions as WebVTT too, in HLS, CMAF and DASH.': [
    'Captions also as tracks that every player can show (HLS, CMAF, DASH).',
    'Subtítulos también como pistas que cualquier reproductor muestra (HLS, CMAF, DASH).',
  ],
  'Tracks to choose from; null or empty: all.': [
    'The tracks that viewers choose from; none: all of the source, up to 8.',
    'Las pistas entre las que eligen los espectadores; ninguna: todas las de la fuente, hasta 8.',
  ],
  'Audio track of the source, from 0.': ['Counted from 0.', 'Se cuenta desde 0.'],
  'RFC 5646 tag or ISO 639-2 code; null = und.': ['Such as en, es or de-CH.', 'Por ejemplo en, es o de-CH.'],
  'Name in the menu of players; null = that of the language.': [
    'Empty: the name of the language.',
    'Vacío: el nombre del idioma.',
  ],
  'Players begin with it; at most one, none = the first.': [
    'Players begin with it.',
    'Los reproductores empiezan con ella.',
  ],
  'Preserve SCTE-35 cue points.': [
    'SCTE-35 cue points of the source go out.',
    'Los puntos SCTE-35 de la fuente salen.',
  ],
  'move: goes on at another Device.': [
    'What becomes of it when its Device is silent. To move, it must be free to: no Device of its own, a source that is pulled. It is silent itself when its Device hears no server for 8 s.',
    'Qué pasa con él cuando su dispositivo calla. Para moverse debe ser libre: sin dispositivo propio, con una fuente que se recoge. Calla él mismo cuando su dispositivo no oye a ningún servidor durante 8 s.',
  ],
  'fallback: on air with the slate or file.': [
    'On air at once with the slate or file; the source comes in when it comes.',
    'En el aire al momento con la imagen de espera o el archivo; la fuente entra cuando llega.',
  ],
  'false: cannot be started.': ['Switched off it cannot be started.', 'Desactivada no se puede iniciar.'],
  'Device to run on; null: any.': ['Empty: any.', 'Vacío: cualquiera.'],
  'Device group; null: any Device.': ['Empty: any Device.', 'Vacío: cualquier dispositivo.'],
  'Device group to run on.': [],
  'Device group to run on; null: as configured.': ['Empty: as the Live stream says.', 'Vacío: como dice la emisión.'],
  'Device to run on; left out: as configured, else the freest.': [
    'Empty: as the Live stream says, otherwise the freest.',
    'Vacío: como dice la emisión; si no, el más libre.',
  ],
  'Cloud account to run on, instead of a Device.': ['In place of a Device.', 'En lugar de un dispositivo.'],
  'Paths and qualities to deliver; left out: the last ones, else all that are on.': [
    'Empty: as the last time, otherwise all that are on.',
    'Vacío: como la última vez; si no, todo lo activado.',
  ],
  'Deliver on the primary path.': ['The primary path delivers.', 'La vía principal entrega.'],
  'Whether the backup path delivers.': ['The backup path delivers.', 'La vía de reserva entrega.'],
  'Ids of the Encodings to deliver; left out: all.': ['Empty: all.', 'Vacío: todas.'],
  'Id of the Channel.': [],
  'Id of the Channel to switch to.': [],
  'Id of the Encoding; else encodingGroupId.': [],
  'Id of the Encoding group.': [],
  'Id of the Publishing.': [],
  'Id of the Publishing group.': [],
  'Id of the Publishing; else publishingGroupId.': [],
  'Id of the Live stream.': [],
  'Live ends the blackout.': ['Live ends it.', 'Live lo termina.'],
  'mode File: Asset in the bucket files, played in a loop.': [
    'A file of the page Assets, which is repeated.',
    'Un archivo de la página Recursos, que se repite.',
  ],
  'The programme stays audible.': ['The sound of the source goes on.', 'El sonido de la fuente sigue.'],
  'Empty filename: no logo; its position is kept for the next one.': ['Empty: no logo.', 'Vacío: sin logotipo.'],
  'Left out: where it was, else Top-Right.': [
    'Empty: where it was, otherwise at the top right.',
    'Vacío: donde estaba; si no, arriba a la derecha.',
  ],
  'What is inserted, at the present instant of the programme.': [
    'It is inserted at this instant.',
    'Se inserta en este instante.',
  ],
  'Its content.': [],
  'ID3Tag: description of the tag; DateRange: its class.': [
    'ID3 tag: its description. Date range: its class.',
    'Etiqueta ID3: su descripción. DateRange: su clase.',
  ],
  'ID3Tag: the text. Scte: a splice_info_section, base64 or hex.': [
    'ID3 tag: the text. SCTE: the section, as base64 or hexadecimal digits.',
    'Etiqueta ID3: el texto. SCTE: la sección, en base64 o hexadecimal.',
  ],
  'Seconds of the break or range.': [],
  'Of the event; in and out of one break share it. Scte, Cue: a number of 32 bits.': [
    'Begin and end of one break have the same; a number for SCTE and cues.',
    'Comienzo y fin de un corte tienen el mismo; un número para SCTE y cortes.',
  ],
  'DateRange: further X- attributes, at most 50.': [
    'Date range: further attributes, whose names begin with X-.',
    'DateRange: más atributos, cuyos nombres empiezan por X-.',
  ],
  'start begins a Recording of its own; stop ends it.': [
    'Start begins a Recording, stop ends it.',
    'Iniciar comienza una grabación; parar la termina.',
  ],
  'Each Publishing once.': ['Each Destination once.', 'Cada destino una vez.'],
  'true on a path in trouble: try again now.': [
    'Switched on, a path in trouble is tried again now.',
    'Activada, una vía con problemas se intenta de nuevo ahora.',
  ],
  'Without effect on a type with a single path.': [],
  'hide takes the text away and keeps the rest.': [
    'Hide takes it away and keeps the words.',
    'Ocultar lo quita y conserva las palabras.',
  ],
  'Left out: as before, else Bottom.': [
    'Empty: as before, otherwise at the bottom.',
    'Vacío: como antes; si no, abajo.',
  ],
  'Pixels at 1080 lines; left out: as before, else 36.': [
    'Pixels at 1080 lines; empty: as before, otherwise 36.',
    'Píxeles con 1080 líneas; vacío: como antes; si no, 36.',
  ],
  '#rrggbb; left out: as before, else white.': [
    'Such as #ffffff; empty: as before, otherwise white.',
    'Por ejemplo #ffffff; vacío: como antes; si no, blanco.',
  ],
  'Of a CueOut without a duration.': ['Of a break that says no length.', 'De un corte que no indica duración.'],
  'No break gets longer.': ['No break gets longer.', 'Ningún corte dura más.'],
  'Of the next CueOut alone.': ['Of the next break alone.', 'Solo del próximo corte.'],
};
