/** Warnings and alarms in Spanish, by the codes of the server. */

/** They are about a source that was looked at, and about demands of platforms. */
export const warningsEs: Readonly<Record<string, string>> = {
  no_video: 'La fuente no tiene imagen. Envíela, o use una codificación sin vídeo.',
  no_audio: 'La fuente no tiene sonido. Añada una pista en el codificador, aunque sea muda.',
  keyframes_far_apart: 'Sus fotogramas clave están lejos uno de otro. Ponga uno cada 2 s en el codificador.',
  variable_frame_rate: 'Sus imágenes no llegan a ritmo constante. Ponga un ritmo fijo (CFR) en el codificador.',
  interlaced: 'Su vídeo es entrelazado. Envíelo progresivo si la cámara puede, y no lo copie.',
  odd_size: 'El ancho o el alto de su imagen es impar. Póngalos pares en el codificador.',
  hdr: 'Su vídeo es HDR y sus colores pueden verse pálidos. Envíe SDR (BT.709).',
  hevc_copy: 'Su vídeo es H.265, que un destino RTMP no puede llevar copiado. Codifique a H.264.',
  silent_audio: 'Una pista está en silencio. Active la entrada o elija otra pista.',
  low_level: 'El sonido es muy bajo. Suba el nivel en el codificador.',
  high_level: 'El sonido llega al tope. Baje el nivel en el codificador.',
  type: 'La plataforma pide otro tipo de destino.',
  tls: 'La plataforma pide una conexión cifrada.',
  stream_key: 'La plataforma pide una clave de emisión.',
  video_codec: 'La plataforma pide otro códec de vídeo.',
  keyframe_distance: 'La plataforma pide otra distancia entre fotogramas clave.',
  video_bitrate: 'La plataforma pide otra tasa de bits de vídeo.',
  picture_size: 'La plataforma pide otro tamaño de imagen.',
  frame_rate: 'La plataforma pide otro número de imágenes por segundo.',
  no_sound: 'La plataforma pide sonido.',
  audio_codec: 'La plataforma pide otro códec de sonido.',
  audio_bitrate: 'La plataforma pide otra tasa de bits de sonido.',
  sample_rate: 'La plataforma pide otra frecuencia de muestreo.',
};

/** Remedies against alarms, by the check. */
export const alarmRemediesEs: Readonly<Record<string, string>> = {
  store: 'Compruebe el disco del almacén o la base de datos, y el registro del servidor.',
  disk: 'Haga sitio en el disco de la carpeta de datos.',
  clock: 'Ponga en hora el reloj del servidor, por NTP.',
  certificate: 'Renueve el certificado.',
  servers: 'Compruebe el servidor que falta y su red.',
  devices: 'Compruebe la alimentación y la red del dispositivo.',
  programs: 'Actualice el programa del dispositivo.',
  features: 'Instale en el dispositivo lo que le falta.',
  storage: 'Haga sitio en el disco del dispositivo, o compruébelo.',
  device_clocks: 'Ponga en hora el reloj del dispositivo, por NTP.',
  fleet: 'Libere la flota o compruebe los dispositivos.',
  licences: 'Instale una licencia que lo incluya o que siga en vigor.',
  key_servers: 'Compruebe el proveedor de DRM y vuelva a validarlo.',
  connections: 'Compruebe la cuenta o la carpeta y vuelva a validarla.',
  backups: 'Compruebe la carpeta de las copias y su espacio.',
  archive: 'Compruebe el bucket del archivo y sus claves; lo que falta se envía solo.',
  mail: 'Ponga ONAIR_SMTP_URL y pruebe la regla de correo.',
};
