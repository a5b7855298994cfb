/** The codecs of Enhanced RTMP (v2, tables of FourCC) that are read, and the ones of FLV that come beside them. */

export interface EnhancedCodec {
  kind: 'video' | 'audio';
  /** Its name in ffmpeg. */
  name: string;
  /** Its CodecID in Matroska. */
  matroska: string;
  /** Its frames cannot be decoded without the record that a SequenceStart brings. */
  isConfigured: boolean;
  /** The record goes into Matroska as it is. */
  keepsRecord: boolean;
  /** Each of its frames has the time from decoding to showing before it. */
  hasDelay?: true;
}

const video = (name: string, matroska: string, isConfigured: boolean): EnhancedCodec => ({
  ...{ kind: 'video', name, matroska, isConfigured, keepsRecord: isConfigured },
});
const audio = (name: string, matroska: string, isConfigured: boolean): EnhancedCodec => ({
  ...{ kind: 'audio', name, matroska, isConfigured, keepsRecord: isConfigured },
});

/** By FourCC. A record of VP8 or VP9 has another form in Matroska, and decoders need none. AV1 has in its keyframes what its record tells. */
export const ENHANCED_CODECS: Readonly<Record<string, EnhancedCodec>> = {
  avc1: { ...video('h264', 'V_MPEG4/ISO/AVC', true), hasDelay: true },
  hvc1: { ...video('hevc', 'V_MPEGH/ISO/HEVC', true), hasDelay: true },
  av01: { ...video('av1', 'V_AV1', false), keepsRecord: true },
  vp09: video('vp9', 'V_VP9', false),
  vp08: video('vp8', 'V_VP8', false),
  mp4a: audio('aac', 'A_AAC', true),
  Opus: audio('opus', 'A_OPUS', true),
  fLaC: audio('flac', 'A_FLAC', true),
  'ac-3': audio('ac3', 'A_AC3', false),
  'ec-3': audio('eac3', 'A_EAC3', false),
  '.mp3': audio('mp3', 'A_MPEG/L3', false),
};

/** CodecIDs of FLV, and the one that encoders use for HEVC beside the specification (Adobe, Video File Format 10.1, §E.4.3.1). */
export const FLV_VIDEO: Readonly<Record<number, string>> = { 7: 'avc1', 12: 'hvc1' };
/** SoundFormats of FLV, §E.4.2.1. */
export const FLV_AUDIO: Readonly<Record<number, string>> = { 2: '.mp3', 10: 'mp4a', 14: '.mp3' };
