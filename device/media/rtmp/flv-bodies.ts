/** The first bytes of the bodies of FLV tags (Adobe, Video File Format 10.1, annex E; Enhanced RTMP v1). */
import type { RtmpMessage } from './rtmp-chunks.ts';

export type FlvMessage = Pick<RtmpMessage, 'type' | 'body'>;

/** Tells whether the body is an Enhanced RTMP packet, which names its codec by four characters (v1, table 4). */
export function isExtended(body: Buffer): boolean {
  return (body[0]! & 0x80) !== 0;
}

/** AVC (7) and AAC (10) begin with a configuration, marked by a zero; so does a packet of Enhanced RTMP by its type. */
export function isConfiguration({ type, body }: FlvMessage): boolean {
  if (type === 9 && isExtended(body)) return (body[0]! & 15) === 0;
  const coded = type === 9 ? (body[0]! & 15) === 7 : type === 8 && body[0]! >> 4 === 10;
  return coded && body[1] === 0;
}
