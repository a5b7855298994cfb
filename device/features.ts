/** The needs of each Channel type, Publishing type and codec, and whether this build of the product implements it. */

export interface Feature {
  /** Wire name: a codec, a Channel type or a Publishing type. */
  name: string;
  /**
   * Each group is met by any one of its words, such as `encoder:libx264`; `card:decklink` and `resolver:videosite` stand for what this
   * machine has beside ffmpeg. An empty list needs neither.
   */
  requires: string[][];
  /** The remedy that is told where this build or this ffmpeg lacks the feature. */
  needs: string;
  /** This build of the product has no code for it, whatever ffmpeg can. */
  absent?: true;
}

export const INSTALL_FFMPEG = 'ffmpeg 5.1 or later on the Device: apt-get install ffmpeg';
const ffmpegWith = (what: string): string => `an ffmpeg built with ${what}`;

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

/** These filters bring every source to one frame rate, size and sample rate. */
const NORMALISING = [['filter:fps'], ['filter:scale'], ['filter:pad'], ['filter:aresample']];
const DECKLINK = 'a DeckLink card and ffmpeg with decklink';
export const INPUTS: Feature[] = [
  {
    name: 'File',
    requires: [['input:file'], ...NORMALISING],
    needs: ffmpegWith('the filters fps, scale, pad and aresample'),
  },
  {
    name: 'Stream',
    requires: [['input:http'], ['input:udp'], ['input:rtmp'], ...NORMALISING],
    needs: ffmpegWith('the protocols http, udp and rtmp'),
  },
  {
    name: 'SRT',
    requires: [['input:srt'], ...NORMALISING],
    needs: ffmpegWith('libsrt and the filters fps, scale, pad and aresample'),
  },
  {
    name: 'RTMP-Push',
    requires: [...NORMALISING],
    needs: ffmpegWith('the filters fps, scale, pad and aresample'),
  },
  { name: 'SDI', requires: [['device:decklink'], ['card:decklink'], ...NORMALISING], needs: DECKLINK },
  { name: 'AES/EBU', requires: [['device:decklink'], ['card:decklink'], ...NORMALISING], needs: DECKLINK },
  {
    name: 'NDI',
    requires: [['device:libndi_newtek'], ...NORMALISING],
    needs:
      'ffmpeg with libndi_newtek, which no version since 4.2 has; without one, take the source into OBS with its NDI plug-in and push it to a Channel of type SRT or RTMP-Push',
  },
  { name: 'UDP-R Cloud', requires: [], needs: 'a Cloud account with a gateway for UDP-R', absent: true },
  { name: 'SRT Cloud', requires: [['input:srt']], needs: 'a Cloud account with a gateway for SRT', absent: true },
  {
    name: 'VideoSite Live',
    requires: [['resolver:videosite'], ['input:http'], ...NORMALISING],
    needs:
      'a resolver for the video site: ONAIR_VIDEOSITE_RESOLVER in the environment of the Device must name an executable file',
  },
];
export const OUTPUTS: Feature[] = [
  { name: 'HLS / TS', requires: [['muxer:mpegts']], needs: ffmpegWith('the mpegts muxer') },
  // The runner takes RTMP out of the transport stream itself, and speaks it.
  { name: 'RTMP', requires: [['muxer:mpegts']], needs: ffmpegWith('the mpegts muxer') },
  { name: 'Record', requires: [['muxer:mp4'], ['muxer:mpegts']], needs: ffmpegWith('the mp4 and mpegts muxers') },
  { name: 'CMAF', requires: [['muxer:mp4']], needs: ffmpegWith('the mp4 muxer') },
  { name: 'DASH', requires: [['muxer:mp4']], needs: ffmpegWith('the mp4 muxer') },
  { name: 'Enhanced RTMP', requires: [['muxer:mpegts']], needs: ffmpegWith('the mpegts muxer') },
  {
    name: 'SRT',
    requires: [['muxer:mpegts'], ['output:srt']],
    needs: ffmpegWith('the mpegts muxer and the srt protocol (libsrt)'),
  },
  { name: 'STREAM', requires: [['muxer:mpegts']], needs: ffmpegWith('the mpegts muxer') },
  {
    name: 'SDIOUT',
    requires: [['outdevice:decklink']],
    needs: 'a DeckLink card and ffmpeg with decklink',
  },
];
/** The runner encrypts samples itself; it takes the fragments from ffmpeg. */
export const ENCRYPTIONS: Feature[] = [
  { name: 'cenc', requires: [['muxer:mp4']], needs: ffmpegWith('the mp4 muxer') },
  { name: 'cbcs', requires: [['muxer:mp4']], needs: ffmpegWith('the mp4 muxer') },
];
