/** Which codecs of a pusher can be read: those of FLV (Adobe, Video File Format 10.1, annex E) and most of Enhanced RTMP v2. */
import { codedPackets } from './coded-packets.ts';
import { ENHANCED_CODECS, FLV_AUDIO, FLV_VIDEO } from './enhanced-codecs.ts';
import { isEnhanced, type FlvMessage } from './flv-bodies.ts';

/** FourCC of what is not read. */
const OTHER_FOUR_CC: Readonly<Record<string, string>> = { vvc1: 'VVC' };
/** CodecIDs that encoders use beside the specification. */
const OTHER_VIDEO: Readonly<Record<number, string>> = { 13: 'AV1', 14: 'VVC' };
const READ_VIDEO = [2, 3, 4, 5, 6, 7, 8, 9, 12];
const VIDEO_COMMAND = 5;
/** SoundFormats that are reserved. */
const RESERVED_SOUND = [12, 13];

/** FLV holds neither Enhanced RTMP nor HEVC: ffmpeg 5.1 takes both for codecs that it does not know. */
export function needsMatroska(message: FlvMessage): boolean {
  const { type, body } = message;
  if (isEnhanced(message)) return true;
  const fourCc = type === 9 && body.length > 0 ? FLV_VIDEO[body[0]! & 15] : undefined;
  return fourCc !== undefined && fourCc !== 'avc1';
}

/** Says why media cannot be read, and what the encoder has to be set to; undefined for what can. `isInMatroska` holds for the others of a stream. */
export function unreadCodec(message: FlvMessage, isInMatroska = false): string | undefined {
  const { type, body } = message;
  if (body.length === 0 || (type !== 8 && type !== 9)) return undefined;
  if (isEnhanced(message)) return unreadFourCc(message);
  return type === 9 ? unreadVideo(body[0]!, isInMatroska) : unreadSound(body[0]! >> 4, isInMatroska);
}

/** Further tracks of video are not taken, whatever they are. */
function unreadFourCc(message: FlvMessage): string | undefined {
  const unread = codedPackets(message).find(
    ({ kind, track, codec }) => ENHANCED_CODECS[codec]?.kind !== kind && (kind === 'audio' || track === 0),
  );
  if (unread === undefined) return undefined;
  const name = OTHER_FOUR_CC[unread.codec] ?? (/^[\w. -]{4}$/u.test(unread.codec) ? unread.codec : 'not known');
  return unread.kind === 'video'
    ? `Its video (${name}, by Enhanced RTMP) is not read here; set the encoder to H.264, HEVC, AV1 or VP9.`
    : `Its sound (${name}, by Enhanced RTMP) is not read here; set the encoder to AAC or Opus.`;
}

function unreadVideo(first: number, isInMatroska: boolean): string | undefined {
  const codec = first & 15;
  if (first >> 4 === VIDEO_COMMAND || (isInMatroska ? FLV_VIDEO[codec] !== undefined : READ_VIDEO.includes(codec)))
    return undefined;
  return `Its video (${OTHER_VIDEO[codec] ?? `codec number ${codec}`}) is not read here; set the encoder to H.264.`;
}

function unreadSound(format: number, isInMatroska: boolean): string | undefined {
  if (isInMatroska ? FLV_AUDIO[format] !== undefined : !RESERVED_SOUND.includes(format)) return undefined;
  return `Its sound (format number ${format}) is not read here; set the encoder to AAC.`;
}
