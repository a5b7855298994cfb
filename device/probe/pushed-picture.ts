/** A picture of what a pusher sends now. */
import type { Readable } from 'node:stream';
import { AppError } from '../../domain/base/errors.ts';
import type { SourceSpec } from '../../domain/shapes/broadcasts/run-spec.ts';
import { knownSandbox } from '../ffmpeg/trial.ts';
import { runPiped } from './piped.ts';
import { pushedLook } from '../media/arguments/pushed-input.ts';
import { CHANNEL_ROWS } from '../../domain/types/channel-types.ts';

export interface PictureOptions {
  deviceDir: string;
  openPushed: (channelId: number) => Readable;
}

/** The media begins with the last keyframe, so the picture is there at once; a busy machine takes seconds to start ffmpeg. */
const LIMIT_MS = 15_000;
/** Microseconds of media in which ffmpeg looks for tracks; one picture needs no more. */
const ANALYSIS_US = '500000';

/** Resolves with a JPEG of at most `width` pixels. Rejects with AppError timeout when no picture came. */
export async function pushedPicture(
  { name, type, channelId, settings }: SourceSpec,
  width: number,
  { deviceDir, openPushed }: PictureOptions,
): Promise<Buffer> {
  const program = settings.program === undefined ? '' : `p:${settings.program}:`;
  const input = ['-analyzeduration', ANALYSIS_US, ...pushedLook(CHANNEL_ROWS[type].pushed!)];
  const picture = ['-map', `0:${program}V:0`, '-frames:v', '1', '-vf', `scale='min(${width},iw)':-2`, '-q:v', '4'];
  const args = ['-hide_banner', '-loglevel', 'error', ...input, ...picture, '-f', 'mjpeg', 'pipe:1'];
  const sandbox = await knownSandbox(deviceDir);
  // Its errors have nobody to hear them before it is piped.
  const pushed = openPushed(channelId);
  const [, jpeg] = await runPiped('ffmpeg', args, pushed, { sandbox, limitMs: LIMIT_MS });
  pushed.destroy();
  if (jpeg === undefined || jpeg.length === 0)
    throw new AppError(
      'timeout',
      `Channel "${name}" gave no picture within ${LIMIT_MS / 1000} s. Call probeChannel, which says what it sends.`,
    );
  return jpeg;
}
