/** Arguments of the packager: the fan-out's transport stream on stdin, one fragmented MP4 of a single track a rendition on fds 3…. */
import { QUIET } from './encoder-args.ts';

export interface PackagerTrack {
  /** PID in the transport stream. */
  pid: number;
  kind: 'video' | 'audio';
  /** As the encoding names it: h264, hevc, mp4a, mp3, opus, ac3, copy. */
  codec: string;
}

/** The number of streams is known, so that probing need not go on: a ladder with sound starts within 0.3 s. */
const TS_IN = [
  '-probesize',
  '1000000',
  '-analyzeduration',
  '300000',
  '-fpsprobesize',
  '0',
  '-f',
  'mpegts',
  '-i',
  'pipe:0',
];

/**
 * frag_discont without an edit list writes the time of the stream; else each track would begin at 0, and sound would no longer fit the
 * picture (its priming frame begins 21 ms earlier). delay_moov, since the AudioSpecificConfig of AAC from a transport stream is known
 * with its first frame only; with empty_moov the esds lacks it. skip_trailer: a live stream has no index at its end.
 */
const COMMON_FLAGS = '+delay_moov+default_base_moof+cmaf+frag_discont+skip_trailer';

/** The list for tracks in the order of their descriptors: the first is written to fd 3. */
export function packagerArgs(tracks: readonly PackagerTrack[]): string[] {
  return [...QUIET, '-copyts', ...TS_IN, ...tracks.flatMap((track, i) => outputArgs(track, 3 + i))];
}

function outputArgs({ pid, kind, codec }: PackagerTrack, fd: number): string[] {
  // Pictures are cut at keyframes. Sound at every frame, so that its segments can end within half a frame of the picture's.
  const cut = kind === 'video' ? '+frag_keyframe' : '+frag_every_frame';
  return [
    ...['-map', `0:i:0x${pid.toString(16)}`, '-c', 'copy'],
    ...(codec === 'mp4a' || (codec === 'copy' && kind === 'audio') ? ['-bsf:a', 'aac_adtstoasc'] : []),
    // Players of Apple take hvc1 only.
    ...(codec === 'hevc' ? ['-tag:v', 'hvc1'] : []),
    ...['-movflags', COMMON_FLAGS + cut, '-use_editlist', '0', '-flush_packets', '1', '-f', 'mp4', `pipe:${fd}`],
  ];
}
