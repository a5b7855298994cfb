/** The first bytes of the bodies of FLV tags (Adobe, Video File Format 10.1, annex E; Enhanced RTMP v2). */
import type { RtmpMessage } from './rtmp-chunks.ts';

export type FlvMessage = Pick<RtmpMessage, 'type' | 'body'>;

/** SoundFormat of Enhanced RTMP. */
const EXTENDED_SOUND = 9;

/** Tells whether the body is an Enhanced RTMP packet, which names its codecs by four characters. */
export function isEnhanced({ type, body }: FlvMessage): boolean {
  if (body.length === 0) return false;
  return type === 9 ? (body[0]! & 0x80) !== 0 : type === 8 && body[0]! >> 4 === EXTENDED_SOUND;
}

/** AVC (7) and AAC (10) begin with a configuration, marked by a zero. */
export function isConfiguration({ type, body }: FlvMessage): boolean {
  const coded = type === 9 ? (body[0]! & 15) === 7 : type === 8 && body[0]! >> 4 === 10;
  return coded && body[1] === 0;
}
