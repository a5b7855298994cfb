/** A clip of counted pictures as an encoder sends it: FLV tags, second by second, each from a keyframe on; and as segments of a channel. */
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { COUNTED_FPS, makeCountedClip } from '../../test/helpers/counted.ts';
import { flvMessages } from '../../test/device/runner/rtmp-sink.ts';
import type { RtmpMessage } from '../../device/media/rtmp/rtmp-chunks.ts';

/** The number in a picture has twelve bits. */
export const PICTURES = 4080;
export const CLIP_SECONDS = PICTURES / COUNTED_FPS;
export const SEGMENT_SECONDS = 2;

export interface Tags {
  /** Sequence headers. */
  headers: RtmpMessage[];
  /** The tags of each second. */
  seconds: RtmpMessage[][];
}

function countedClip(dir: string): string {
  return makeCountedClip(join(dir, 'counted.mp4'), PICTURES);
}

/** `size` left out: as it is. A turned picture is shown as wide as the other, so that its number can still be read. */
export function tagsOf(dir: string, size?: string): Tags {
  const path = join(dir, `${size ?? 'wide'}.flv`);
  const picture =
    size === undefined
      ? ['-c', 'copy']
      : [
          '-vf',
          `scale=${size.replace('x', ':')},setsar=256/81`,
          '-c:v',
          'libx264',
          '-preset',
          'ultrafast',
          '-g',
          String(COUNTED_FPS),
          '-bf',
          '0',
          '-c:a',
          'copy',
        ];
  run('-i', countedClip(dir), ...picture, '-f', 'flv', path);
  const messages = flvMessages(readFileSync(path)).filter(({ type }) => type === 8 || type === 9);
  const isHeader = ({ body }: RtmpMessage): boolean => body[1] === 0;
  const isEnd = ({ type, body }: RtmpMessage): boolean => type === 9 && body[1] === 2;
  const seconds: RtmpMessage[][] = Array.from({ length: CLIP_SECONDS }, () => []);
  for (const message of messages) {
    if (isHeader(message) || isEnd(message)) continue;
    seconds[Math.min(CLIP_SECONDS - 1, Math.floor((message.time + 1) / 1000))]!.push(message);
  }
  rmSync(path);
  return { headers: messages.filter(isHeader), seconds };
}

/** Segments of the clip; those of another `form` have a clock of their own and another encoder's settings. */
export function segmentsOf(dir: string, form: 'programme' | 'advert'): Buffer[] {
  const other = ['-profile:v', 'main', '-preset', 'ultrafast', '-bf', '2', '-pix_fmt', 'yuv420p', '-ar', '44100'];
  const coding =
    form === 'programme' ? ['-c', 'copy'] : ['-c:v', 'libx264', ...other, '-g', String(COUNTED_FPS), '-c:a', 'aac'];
  const times = ['-segment_time', String(SEGMENT_SECONDS), '-segment_format', 'mpegts', '-muxdelay', '0'];
  // An offset of ffmpeg's own would count as time that has passed, and each keyframe would begin a segment.
  const offset = ['-initial_offset', form === 'programme' ? '0' : '5000'];
  run('-i', countedClip(dir), ...coding, '-f', 'segment', ...times, ...offset, join(dir, `${form}-%d.ts`));
  return Array.from({ length: CLIP_SECONDS / SEGMENT_SECONDS }, (_, n) => readFileSync(join(dir, `${form}-${n}.ts`)));
}

function run(...args: string[]): void {
  execFileSync('ffmpeg', ['-nostdin', '-v', 'error', '-y', ...args]);
}
