/** Arguments of the packager: the fan-out's transport stream on stdin, one fragmented MP4 of a single track a rendition on fds 3…. */
import { QUIET } from './encoder-args.ts';
import { fragmentArgs } from './fragment-args.ts';

export interface PackagerTrack {
  /** PID in the transport stream. */
  pid: number;
  kind: 'video' | 'audio';
  /** The name of the encoding's codec: h264, hevc, mp4a, mp3, opus; of sound that is copied, copy for AAC, and other. */
  codec: string;
}

/** The number of streams is known, so that probing need not go on: a ladder with audio starts within 0.3 s. */
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

/** Tracks are in the order of their descriptors: the first is written to fd 3. `everyFrame`: each frame comes as soon as it is there. */
export function packagerArgs(tracks: readonly PackagerTrack[], everyFrame = false): string[] {
  return [...QUIET, '-copyts', ...TS_IN, ...tracks.flatMap((track, i) => outputArgs(track, 3 + i, everyFrame))];
}

function outputArgs({ pid, kind, codec }: PackagerTrack, fd: number, everyFrame: boolean): string[] {
  // Video is cut at keyframes. Audio is cut at every frame, so that its segments can end within half a frame of the video's.
  const cut = kind === 'video' && !everyFrame ? 'frag_keyframe' : 'frag_every_frame';
  return [
    ...['-map', `0:i:0x${pid.toString(16)}`, '-c', 'copy'],
    ...(codec === 'mp4a' || (codec === 'copy' && kind === 'audio') ? ['-bsf:a', 'aac_adtstoasc'] : []),
    // Players of Apple take hvc1 only.
    ...(codec === 'hevc' ? ['-tag:v', 'hvc1'] : []),
    ...fragmentArgs(cut, fd),
  ];
}
