/** Words of the wizard in Spanish. */
import type { wizardEn } from '../en/wizard.ts';

export const wizardEs: typeof wizardEn = {
  title: 'Poner en el aire una primera emisión',
  intro:
    'Suelte un vídeo aquí, o pegue la dirección de una fuente. Se crea y se inicia todo lo que una emisión necesita.',
  file: 'Archivo de vídeo',
  address: 'Dirección',
  addressHelp: 'http(s), rtmp(s), srt, udp o rtp; también HLS.',
  or: 'o',
  name: 'Nombre',
  nameHelp: 'Si queda vacío: el del archivo, o el servidor.',
  button: 'Poner en el aire',
  sending: (percent) => `enviando ${percent} % …`,
  working: 'en curso …',
  nothing: 'Elija un vídeo o escriba una dirección.',
  both: 'Elija un vídeo o escriba una dirección, no ambos.',
  steps: 'Pasos',
  uploaded: 'Enviado',
  states: { done: 'hecho', failed: 'ha fallado', skipped: 'no hace falta', now: 'en curso', waiting: 'espera' },
  operations: {
    uploadAsset: 'Subir el vídeo',
    addChannel: 'Fuente',
    addEncoding: 'Codificaciones',
    addEncodingGroup: 'Escalera',
    addPublishing: 'Destino',
    addPublishingGroup: 'Grupo de destinos',
    addLivestream: 'Emisión',
    addSchedule: 'Programación',
    start_livestream: 'Inicio',
  },
  watch: 'Verla',
  toOnAir: 'Ir a En el aire',
  cancel: 'Cancelar',
  close: 'Cerrar',
  drop: 'Suéltelo aquí',
};
