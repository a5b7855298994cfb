/** Arguments of the one-shot ffmpegs: a logo in, a still out. */
import { inputRules } from '../../ffmpeg/input-rules.ts';
import { QUIET } from './encoder-args.ts';
import type { Bitmap } from '../frames/overlay.ts';
import { logoBounds, type Size } from '../frames/placement.ts';
import type { FrameForm } from '../light/frame-form.ts';
import { labelled, programmeToSdr } from '../light/light-filters.ts';

/** Each format has its demuxer, and nothing but files: a playlist in the place of a picture opens nothing. */
const IMAGE_FORMATS: [Buffer, string][] = [
  [Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), 'png_pipe'],
  [Buffer.from('\xff\xd8\xff', 'latin1'), 'jpeg_pipe'],
];

export const IMAGE_HEAD_BYTES = 8;

/** Returns ffmpeg's demuxer for a file that begins so; undefined when it is neither PNG nor JPEG. */
export function imageDemuxer(head: Buffer): string | undefined {
  return IMAGE_FORMATS.find(([magic]) => head.subarray(0, magic.length).equals(magic))?.[1];
}

/**
 * The logo is scaled to its place on the frame, and premultiplied before that: else the colour of invisible pixels would fringe the edges.
 */
export function logoArgs(path: string, demuxer: string, frame: Size): string[] {
  const { scale, width, height } = logoBounds(frame);
  const factor = `min(${scale}\\,min(${width}/iw\\,${height}/ih))`;
  const side = (name: 'iw' | 'ih'): string => `max(1\\,round(${name}*${factor}))`;
  const filter = `format=gbrap,premultiply=inplace=1,scale=w=${side('iw')}:h=${side('ih')}:flags=lanczos+accurate_rnd`;
  return [
    ...[
      ...QUIET,
      ...inputRules({ protocols: 'file', formats: demuxer }),
      '-threads',
      '1',
      '-f',
      demuxer,
      '-i',
      `file:${path}`,
    ],
    ...['-vf', filter, '-frames:v', '1', '-threads', '1'],
    ...['-f', 'image2pipe', '-c:v', 'pam', '-pix_fmt', 'rgba', 'pipe:1'],
  ];
}

const PAM_HEAD_END = Buffer.from('ENDHDR\n');

/**
 * Reads the PAM format of Netpbm, whose header says the size. Throws RangeError for anything but a whole picture of four 8-bit channels.
 */
export function parsePam(bytes: Buffer): Bitmap {
  const end = bytes.indexOf(PAM_HEAD_END);
  const head = bytes.toString('latin1', 0, Math.max(0, end));
  const field = (name: string): number => Number(new RegExp(`^${name} (\\d+)$`, 'mu').exec(head)?.[1]);
  const [width, height] = [field('WIDTH'), field('HEIGHT')];
  const data = bytes.subarray(end + PAM_HEAD_END.length);
  const isWhole = data.length === width * height * 4 && data.length > 0;
  if (!head.startsWith('P7\n') || field('DEPTH') !== 4 || field('MAXVAL') !== 255 || !isWhole)
    throw new RangeError('The picture is not complete.');
  return { width, height, data };
}

/** Quality 3 of 2 (best) to 31 shows no blocks. */
const JPEG = ['-threads', '1', '-f', 'image2pipe', '-c:v', 'mjpeg', '-q:v', '3', 'pipe:1'];

/** A raw frame comes on stdin. JFIF knows BT.601 in full range only. */
export function stillArgs(frame: FrameForm, still: Size): string[] {
  const { width, height, samples = 'yuv420p', light = 'sdr' } = frame;
  const colours = 'in_color_matrix=bt709:out_color_matrix=bt601:in_range=tv:out_range=pc';
  const size = `scale=${still.width}:${still.height}:flags=bicubic`;
  // Tones are mapped in the size of the still, which is smaller.
  const scaled =
    light === 'sdr'
      ? `${size}:${colours}`
      : [labelled(light), size, ...programmeToSdr(light), 'format=yuv420p', `scale=${colours}`].join(',');
  return [
    ...[...QUIET, '-f', 'rawvideo', '-pix_fmt', samples, '-s', `${width}x${height}`, '-i', 'pipe:0'],
    ...['-frames:v', '1', '-vf', `${scaled},format=yuvj420p`],
    ...JPEG,
  ];
}

/**
 * A transport stream of `frames` frames comes on stdin, the last of which are taken: one of them may be broken, and the last JPEG on stdout
 * is the newest that can be seen.
 */
export function lastStillArgs(frames: number, width: number): string[] {
  const size = `w=min(${width}\\,trunc(iw*sar)):h=max(1\\,round(ow/dar))`;
  return [
    ...[...QUIET, '-probesize', '1000000', '-analyzeduration', '300000', '-fpsprobesize', '0'],
    ...['-f', 'mpegts', '-i', 'pipe:0', '-map', '0:v:0', '-fps_mode', 'passthrough'],
    ...[
      '-vf',
      `select=gte(n\\,${Math.max(0, frames - 4)}),scale=${size}:out_color_matrix=bt601:out_range=pc,setsar=1,format=yuvj420p`,
    ],
    ...JPEG,
  ];
}
