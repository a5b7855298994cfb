import type { sourceFieldsEn } from '../en/source-fields.ts';

export const sourceFieldsEs: typeof sourceFieldsEn = {
  startWithoutSource: 'Iniciar sin la fuente',
  backupChannelId: 'Fuente de respaldo',
  failover: 'Paso a la fuente de respaldo',
  on: 'A causa de',
  after_seconds: 'Después de (s)',
  return: 'Regreso',
  return_after_seconds: 'Regresa después de (s)',
  sound: 'Sonido',
  gain_db: 'Ganancia (dB)',
  mute: 'Silenciar',
  delay_ms: 'Retardo del sonido (ms)',
  detect: 'Qué se detecta en la fuente',
  silence: 'Silencio',
  black: 'Imagen negra',
  frozen: 'Imagen congelada',
  level_db: 'Nivel (dBFS)',
  seconds: 'Dura (s)',
};
