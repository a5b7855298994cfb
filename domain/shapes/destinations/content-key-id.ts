/** Ids of content keys. */
import { createHash } from 'node:crypto';
import type { KeyTrack } from './drm-provider.ts';

/** A period of keys that are replaced: those of one length are counted since 1970. */
export interface KeyPeriod {
  lengthMs: number;
  index: number;
}

/**
 * A name-based UUID as 32 hexadecimal digits (RFC 9562 §5.5, in a namespace of our own): the same content, track and period request the same
 * key at any time.
 */
export function contentKeyId(contentid: string, track: KeyTrack, period?: KeyPeriod): string {
  const what = period === undefined ? track : `${track}@${period.lengthMs}/${period.index}`;
  const bytes = createHash('sha1').update(`onair:content-key:${what}:${contentid}`).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex');
}
