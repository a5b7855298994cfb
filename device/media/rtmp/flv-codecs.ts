/** Which codecs of a pusher can be read: those of FLV (Adobe, Video File Format 10.1, annex E), and none of Enhanced RTMP's. */
import { isExtended } from './flv-bodies.ts';
import type { RtmpMessage } from './rtmp-chunks.ts';

/** Enhanced RTMP v2, by its four characters. */
const FOUR_CC: Record<string, string> = {
  avc1: 'H.264',
  hvc1: 'HEVC',
  vvc1: 'VVC',
  av01: 'AV1',
  vp08: 'VP8',
  vp09: 'VP9',
  mp4a: 'AAC',
  '.mp3': 'MP3',
  Opus: 'Opus',
  fLaC: 'FLAC',
  'ac-3': 'AC-3',
  'ec-3': 'E-AC-3',
};
/** CodecIDs that encoders use beside the specification. */
const OTHER_VIDEO: Record<number, string> = { 12: 'HEVC', 13: 'AV1', 14: 'VVC' };
const READ_VIDEO = [2, 3, 4, 5, 6, 7, 8, 9];
const VIDEO_COMMAND = 5;
/** SoundFormat of Enhanced RTMP v2, and those that are reserved. */
const EXTENDED_SOUND = 9;
const RESERVED_SOUND = [12, 13];
/** Packet types that stand before what names the codec. */
const MULTITRACK = { 8: 5, 9: 6 } as const;

/** Says why media cannot be read, and what the encoder has to be set to; undefined for what can. */
export function unreadCodec({ type, body }: RtmpMessage): string | undefined {
  if (body.length === 0) return undefined;
  const first = body[0]!;
  if (type === 9 && isExtended(body))
    return `Its video comes by Enhanced RTMP (${codecOf(body, MULTITRACK[9])}), which is not read here; set the encoder to H.264 by plain RTMP.`;
  const codec = first & 15;
  if (type === 9 && first >> 4 !== VIDEO_COMMAND && !READ_VIDEO.includes(codec))
    return `Its video (${OTHER_VIDEO[codec] ?? `codec number ${codec}`}) is not read here; set the encoder to H.264.`;
  if (type !== 8) return undefined;
  if (first >> 4 === EXTENDED_SOUND)
    return `Its sound comes by Enhanced RTMP (${codecOf(body, MULTITRACK[8])}), which is not read here; set the encoder to AAC by plain RTMP.`;
  return RESERVED_SOUND.includes(first >> 4)
    ? `Its sound (format number ${first >> 4}) is not read here; set the encoder to AAC.`
    : undefined;
}

function codecOf(body: Buffer, multitrack: number): string {
  const at = (body[0]! & 15) === multitrack ? 2 : 1;
  return FOUR_CC[body.toString('latin1', at, at + 4)] ?? 'a codec that is not known';
}
