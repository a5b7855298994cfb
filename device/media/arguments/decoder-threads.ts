/**
 * How many threads the decoder of a source has. Each but the first keeps a picture back, and has pictures of its own in memory, so there
 * are no more than the size and rate of the source ask for.
 */
import { DECODER_THREADS } from '../../ffmpeg/input-rules.ts';
import type { VideoFacts } from '../ffmpeg-output/source-facts.ts';

/** One thread decodes 1080p30 of any codec with room to spare, filters beside it. */
const PIXELS_A_THREAD = 1920 * 1088 * 31;
const USUAL_FPS = 30;
/** With several, one of them waits for the others now and then. */
const SPARE_THREADS = 1;

export function decoderThreads(video: VideoFacts | undefined): number {
  if (video === undefined) return 1;
  const { width, height, fps = USUAL_FPS } = video;
  const threads = Math.ceil((width * height * fps) / PIXELS_A_THREAD);
  return threads <= 1 ? 1 : Math.min(threads + SPARE_THREADS, DECODER_THREADS);
}
