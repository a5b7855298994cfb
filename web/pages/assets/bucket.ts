/** One Asset: its address, its size in words. */
import { API_ROOT } from '../../api/client.ts';
import type { components } from '../../gen/api.d.ts';

export type Asset = components['schemas']['Asset'];
export type Bucket = Asset['fileType'];

export function addressOf({ filename, fileType }: Pick<Asset, 'filename' | 'fileType'>): string {
  return `${API_ROOT}/assets/${encodeURIComponent(filename)}?fileType=${fileType}`;
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

/** `512 B`, `3.1 GB` */
export function sizeText(bytes: number): string {
  const power = Math.min(UNITS.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3));
  const amount = bytes / 1000 ** power;
  return `${power === 0 || amount >= 100 ? Math.round(amount) : amount.toFixed(1)} ${UNITS[power]}`;
}
