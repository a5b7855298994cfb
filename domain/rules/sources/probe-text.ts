/** The finding of a look at a source, as people read it. */
import type { SourceProbe } from '../../shapes/sources/probe.ts';

/** `1920×1080 h264 at 50 frames a second, sound: aac 48 kHz in 2 channels, 5200 kbit/s in all`. */
export function probeText({
  video,
  audio,
  bitrate_kbps,
}: Pick<SourceProbe, 'video' | 'audio' | 'bitrate_kbps'>): string {
  const rate = video?.fps == null ? '' : ` at ${rounded(video.fps)} frames a second`;
  const picture = video === null ? 'no picture' : `${video.width}×${video.height} ${video.codec}${rate}`;
  const tracks = audio.map(
    ({ codec, sample_rate, channels }) =>
      `${codec} ${rounded(sample_rate / 1000)} kHz in ${channels} ${channels === 1 ? 'channel' : 'channels'}`,
  );
  const sound = tracks.length === 0 ? 'no sound' : `sound: ${tracks.join(' and ')}`;
  return `${picture}, ${sound}, ${Math.round(bitrate_kbps)} kbit/s in all`;
}

function rounded(amount: number): number {
  return Math.round(amount * 100) / 100;
}
