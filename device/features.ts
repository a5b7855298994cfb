/** The needs of each Channel type, Publishing type and codec, and whether this build of the product implements it. */

import { ffmpegWith, type TypeNeeds } from '../domain/types/type-needs.ts';
import { CHANNEL_ROWS, CHANNEL_TYPES } from '../domain/types/channel-types.ts';
import { DESTINATION_ROWS, PUBLISHING_TYPES } from '../domain/types/destination-types.ts';

export interface Feature extends TypeNeeds {
  /** Wire name: a codec, a Channel type or a Publishing type. */
  name: string;
}

export const INSTALL_FFMPEG = 'ffmpeg 5.1 or later on the Device: apt-get install ffmpeg';

export const VIDEO: Feature[] = [
  { name: 'h264', requires: [['encoder:libx264']], needs: ffmpegWith('libx264') },
  { name: 'hevc', requires: [['encoder:libx265']], needs: ffmpegWith('libx265') },
  { name: 'av1', requires: [['encoder:libsvtav1'], ['muxer:mp4']], needs: ffmpegWith('libsvtav1 and the mp4 muxer') },
  { name: 'vp9', requires: [['encoder:libvpx-vp9'], ['muxer:mp4']], needs: ffmpegWith('libvpx and the mp4 muxer') },
  {
    name: 'mp4v',
    requires: [['encoder:mpeg4']],
    needs: 'a build of this product that encodes MPEG-4 Part 2; use h264',
    absent: true,
  },
  {
    name: 'mpgv',
    requires: [['encoder:mpeg2video']],
    needs: 'a build of this product that encodes MPEG-2; use h264',
    absent: true,
  },
  { name: 'copy', requires: [], needs: INSTALL_FFMPEG },
];
const needsHdr = (encoder: string): string =>
  ffmpegWith(`${encoder} of 10 bits a sample, and the zscale filter (libzimg)`);
/** Codecs in HDR: ten bits a sample, and a way from the light of one source to that of another. */
export const HDR: Feature[] = [
  { name: 'hevc', requires: [['tenbit:libx265'], ['filter:zscale']], needs: needsHdr('libx265') },
  {
    name: 'av1',
    requires: [['tenbit:libsvtav1'], ['filter:zscale'], ['muxer:mp4']],
    needs: needsHdr('libsvtav1'),
  },
  {
    name: 'vp9',
    requires: [['tenbit:libvpx-vp9'], ['filter:zscale'], ['muxer:mp4']],
    needs: needsHdr('libvpx'),
  },
];
/** Encoders that are asked whether they take ten bits. */
export const HDR_ENCODERS = ['libx265', 'libsvtav1', 'libvpx-vp9'] as const;
export const AUDIO: Feature[] = [
  { name: 'mp4a', requires: [['encoder:aac']], needs: ffmpegWith('the aac encoder') },
  {
    name: 'aacp',
    requires: [['encoder:libfdk_aac']],
    needs: 'a build of this product that encodes HE-AAC; use mp4a',
    absent: true,
  },
  { name: 'opus', requires: [['encoder:libopus']], needs: ffmpegWith('libopus') },
  { name: 'mp3', requires: [['encoder:libmp3lame']], needs: ffmpegWith('libmp3lame') },
  { name: 'mpga', requires: [['encoder:mp2']], needs: ffmpegWith('the mp2 encoder') },
  { name: 'copy', requires: [], needs: INSTALL_FFMPEG },
];

export const INPUTS: Feature[] = CHANNEL_TYPES.map((name) => ({ name, ...CHANNEL_ROWS[name].needs }));
export const OUTPUTS: Feature[] = PUBLISHING_TYPES.map((name) => ({ name, ...DESTINATION_ROWS[name].needs }));
/** Protocols that some ffmpeg lack, of types that have others beside them. */
export const PROTOCOLS: Feature[] = [
  { name: 'rist', requires: [['input:rist'], ['output:rist']], needs: ffmpegWith('librist') },
];
/** The runner encrypts samples itself; it takes the fragments from ffmpeg. */
export const ENCRYPTIONS: Feature[] = [
  { name: 'cenc', requires: [['muxer:mp4']], needs: ffmpegWith('the mp4 muxer') },
  { name: 'cbcs', requires: [['muxer:mp4']], needs: ffmpegWith('the mp4 muxer') },
];
