/** One Asset: its address, its size in words. */
import { API_ROOT } from '../../api/client.ts';
import type { Schemas } from '../../../client/types.d.ts';

export type Asset = Schemas['Asset'];
export type Bucket = Asset['fileType'];

export function addressOf({ filename, fileType }: Pick<Asset, 'filename' | 'fileType'>): string {
  return `${API_ROOT}/assets/${encodeURIComponent(filename)}?fileType=${fileType}`;
}
