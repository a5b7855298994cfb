/** Palabras de lo que termina con una parada. */
import type { stopEn } from '../en/stop.ts';

export const stopEs: typeof stopEn = {
  stopped: (name) => `${name} ya está apagada.`,
  stoppedBy: (name, user, via) => `${name} ya está apagada: la ha detenido ${user} (${via}).`,
  onAir: (count) =>
    count === 0
      ? 'Sale del aire.'
      : `Sale del aire: ${count === 1 ? 'termina 1 destino' : `terminan ${count} destinos`}.`,
  recording: 'La grabación se cierra.',
  starting: 'El inicio se retira.',
  failed: 'Ha fallado y ya está fuera del aire; después nadie la inicia por sí sola.',
  scheduled: 'La inició una programación: solo termina esta vez; una de una sola vez se cancela.',
  once: (schedule) => `La programación ${schedule} era para esta vez y se cancela.`,
  occurrence: (schedule) => `De la programación ${schedule} termina solo esta ocasión.`,
  nextStart: 'Próximo inicio:',
};
