/**
 * Takes the coded packets out of messages with media: those of FLV for AVC and AAC, and those of Enhanced RTMP v1 and v2, one of which may
 * hold packets of several tracks.
 */
import { ByteReader } from '../codecs/byte-reader.ts';
import { ENHANCED_CODECS, FLV_AUDIO, FLV_VIDEO } from './enhanced-codecs.ts';
import { isEnhanced, type FlvMessage } from './flv-bodies.ts';

export interface CodedPacket {
  kind: 'video' | 'audio';
  /** Its number among the tracks of its kind. */
  track: number;
  /** FourCC. */
  codec: string;
  holds: 'configuration' | 'frame';
  isKey: boolean;
  /** Milliseconds from decoding to showing. */
  delayMs: number;
  body: Buffer;
}

/** PacketTypes that video and sound have in common, and those that differ (Enhanced RTMP v2, AudioPacketType and VideoPacketType). */
const [SEQUENCE_START, CODED_FRAMES, CODED_FRAMES_X, TS_SEQUENCE_START, MOD_EX] = [0, 1, 3, 5, 7];
const MULTITRACK = { video: 6, audio: 5 };
/** AvMultitrackType. */
const [ONE_TRACK, MANY_TRACKS_MANY_CODECS] = [0, 2];
const COMMAND_FRAME = 5;
const KEY_FRAME = 1;
const MAX_MODEX_BYTES = 256;

/** The parts of a packet that all of its tracks have in common. */
interface Head {
  kind: 'video' | 'audio';
  packetType: number;
  isKey: boolean;
}

/** A message that ends too early holds nothing; a codec that is not known here is named by its four characters. */
export function codedPackets({ type, body }: FlvMessage): CodedPacket[] {
  if (body.length === 0 || (type !== 8 && type !== 9)) return [];
  try {
    if (!isEnhanced({ type, body })) return plainPackets(type === 9 ? 'video' : 'audio', body);
    return enhancedPackets(type === 9 ? 'video' : 'audio', body);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return [];
  }
}

/** The packets that are taken: of several tracks of video the first, since the sizes of one picture are made here. */
export class TakenPackets {
  private videoTrack = Infinity;

  of(message: FlvMessage): CodedPacket[] {
    const packets = codedPackets(message);
    // It is asked of every message of every encoder: a list of one that is taken stays as it is.
    return packets.length === 1 && this.isTaken(packets[0]!) ? packets : packets.filter((one) => this.isTaken(one));
  }

  private isTaken({ kind, track, codec }: CodedPacket): boolean {
    if (ENHANCED_CODECS[codec]?.kind !== kind) return false;
    if (kind === 'video') this.videoTrack = Math.min(this.videoTrack, track);
    return kind === 'audio' || track === this.videoTrack;
  }
}

function enhancedPackets(kind: Head['kind'], bytes: Buffer): CodedPacket[] {
  const reader = new ByteReader(bytes);
  const first = reader.unsigned(1);
  const frameType = (first >> 4) & 7;
  let packetType = first & 15;
  // A modifier stands before the type of what it modifies. The finer part of a time is the only one so far, and is left out.
  while (packetType === MOD_EX) {
    const size = reader.unsigned(1) + 1;
    reader.skip(size === MAX_MODEX_BYTES ? reader.unsigned(2) + 1 : size);
    packetType = reader.unsigned(1) & 15;
  }
  const head = { kind, isKey: kind === 'audio' || frameType === KEY_FRAME };
  if (kind === 'video' && frameType === COMMAND_FRAME) return [];
  if (packetType !== MULTITRACK[kind]) {
    const codec = fourCc(reader);
    return packetOf({ ...head, packetType }, 0, codec, bytes.subarray(reader.position));
  }
  const second = reader.unsigned(1);
  const many = second >> 4;
  const common = many === MANY_TRACKS_MANY_CODECS ? undefined : fourCc(reader);
  const packets: CodedPacket[] = [];
  while (reader.left > 0) {
    const codec = common ?? fourCc(reader);
    const track = reader.unsigned(1);
    const size = many === ONE_TRACK ? reader.left : reader.unsigned(3);
    const from = reader.skip(size);
    packets.push(...packetOf({ ...head, packetType: second & 15 }, track, codec, bytes.subarray(from, from + size)));
  }
  return packets;
}

/** Returns nothing for what is no media: ends, metadata, and the order of channels. */
function packetOf({ kind, packetType, isKey }: Head, track: number, codec: string, bytes: Buffer): CodedPacket[] {
  const packet = { kind, track, codec, isKey, delayMs: 0, body: bytes };
  // What a transport stream would tell of AV1: its keyframes have the same.
  if (packetType === TS_SEQUENCE_START && kind === 'video') return [];
  if (packetType === SEQUENCE_START) return [{ ...packet, holds: 'configuration' }];
  if (packetType === CODED_FRAMES_X && kind === 'video') return [{ ...packet, holds: 'frame' }];
  if (packetType !== CODED_FRAMES) return [];
  if (ENHANCED_CODECS[codec]?.hasDelay !== true) return [{ ...packet, holds: 'frame' }];
  return [{ ...packet, holds: 'frame', delayMs: bytes.readIntBE(0, 3), body: bytes.subarray(3) }];
}

function fourCc(reader: ByteReader): string {
  return reader.take(4).toString('latin1');
}

/** Adobe, Video File Format 10.1, §E.4.2 and §E.4.3: both codecs have a type of packet behind the first byte. */
function plainPackets(kind: Head['kind'], bytes: Buffer): CodedPacket[] {
  const first = bytes[0]!;
  const codec = kind === 'video' ? FLV_VIDEO[first & 15] : FLV_AUDIO[first >> 4];
  if (codec === undefined) return [];
  const isKey = kind === 'audio' || first >> 4 === KEY_FRAME;
  if (codec === '.mp3') return [{ kind, track: 0, codec, holds: 'frame', isKey, delayMs: 0, body: bytes.subarray(1) }];
  const packetType = bytes.readUInt8(1);
  if (packetType > 1) return [];
  const holds = packetType === 0 ? 'configuration' : 'frame';
  const delayMs = kind === 'audio' ? 0 : bytes.readIntBE(2, 3);
  const body = bytes.subarray(kind === 'audio' ? 2 : 5);
  return [{ kind, track: 0, codec, holds, isKey, delayMs, body }];
}
