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
  'this Device may not write there': 'este dispositivo no puede escribir allí',
};
