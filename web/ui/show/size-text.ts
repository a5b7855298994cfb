/** Sizes in words. */
import { language } from '../../i18n/words.ts';

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

/** `3.1 GB`, in powers of a thousand. */
export function sizeText(bytes: number): string {
  const place = bytes < 1000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  const digits = { maximumFractionDigits: place === 0 ? 0 : 1 };
  return `${(bytes / 1000 ** place).toLocaleString(language.value, digits)} ${UNITS[place]}`;
}
