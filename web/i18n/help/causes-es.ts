/** Parts of a Device's sentences about what fails. */
export const causesEs: Readonly<Record<string, string>> = {
  'its host is not known in the name service': 'su host no se conoce en el servicio de nombres',
  'its SRT peer does not answer': 'su par SRT no responde',
  'its address refuses the connection (Connection refused); nothing listens there':
    'su dirección rechaza la conexión; nadie escucha allí',
  'its address does not answer in time (timed out)': 'su dirección no responde a tiempo',
  'its address cannot be reached from this Device': 'no se llega a su dirección desde este dispositivo',
  'its certificate is not trusted by this Device': 'este dispositivo no confía en su certificado',
  'its port is in use on this Device': 'su puerto está en uso en este dispositivo',
  'its server has closed the connection': 'su servidor ha cerrado la conexión',
  'what it sends cannot be read as media': 'lo que envía no se puede leer como audio o vídeo',
  'it ended before any media came': 'terminó antes de que llegara nada',
  'the disk of this Device is full': 'el disco de este dispositivo está lleno',
  'its peer refuses the SRT connection': 'su par rechaza la conexión SRT',
  'its SRT passphrase is none that SRT takes': 'su contraseña SRT debe tener de 10 a 79 caracteres',
  'its SRT settings are none that SRT takes': 'SRT no admite sus ajustes',
  'its server refuses the request': 'su servidor rechaza la petición',
  'its server refuses the stream': 'su servidor rechaza la emisión',
  'its server answers with an error': 'su servidor responde con un error',
  'it has no picture that could be copied': 'no tiene imagen que se pueda copiar',
  'the RIST secret of its sender is another one': 'el secreto RIST de quien envía es otro',
  'this Device may not write there': 'este dispositivo no puede escribir allí',
};
