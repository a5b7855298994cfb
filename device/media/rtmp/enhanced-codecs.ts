/** The codecs of Enhanced RTMP (v2, tables of FourCC) that are read, and the ones of FLV that come beside them. */

export interface EnhancedCodec {
  kind: 'video' | 'audio';
  /** Its name in ffmpeg. */
  name: string;
  /** Its CodecID in Matroska. */
  matroska: string;
  /**
   * The record that a SequenceStart brings: frames cannot be decoded without it, or it is handed on where it comes. Others have another form
   * in Matroska, and decoders need none.
   */
  record: 'needed' | 'handed on' | 'left out';
  /** Each of its frames has the time from decoding to showing before it. */
  hasDelay?: true;
}

/** Keys are FourCC. AV1 has in its keyframes what its record tells. */
export const ENHANCED_CODECS: Readonly<Record<string, EnhancedCodec>> = {
  avc1: { kind: 'video', name: 'h264', matroska: 'V_MPEG4/ISO/AVC', record: 'needed', hasDelay: true },
  hvc1: { kind: 'video', name: 'hevc', matroska: 'V_MPEGH/ISO/HEVC', record: 'needed', hasDelay: true },
  av01: { kind: 'video', name: 'av1', matroska: 'V_AV1', record: 'handed on' },
  vp09: { kind: 'video', name: 'vp9', matroska: 'V_VP9', record: 'left out' },
  vp08: { kind: 'video', name: 'vp8', matroska: 'V_VP8', record: 'left out' },
  mp4a: { kind: 'audio', name: 'aac', matroska: 'A_AAC', record: 'needed' },
  Opus: { kind: 'audio', name: 'opus', matroska: 'A_OPUS', record: 'needed' },
  fLaC: { kind: 'audio', name: 'flac', matroska: 'A_FLAC', record: 'needed' },
  'ac-3': { kind: 'audio', name: 'ac3', matroska: 'A_AC3', record: 'left out' },
  'ec-3': { kind: 'audio', name: 'eac3', matroska: 'A_EAC3', record: 'left out' },
  '.mp3': { kind: 'audio', name: 'mp3', matroska: 'A_MPEG/L3', record: 'left out' },
};

/** CodecIDs of FLV, and the one that encoders use for HEVC beside the specification (Adobe, Video File Format 10.1, §E.4.3.1). */
export const FLV_VIDEO: Readonly<Record<number, string>> = { 7: 'avc1', 12: 'hvc1' };
/** SoundFormats of FLV, §E.4.2.1. */
export const FLV_AUDIO: Readonly<Record<number, string>> = { 2: '.mp3', 10: 'mp4a', 14: '.mp3' };
