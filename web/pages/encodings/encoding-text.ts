/** Encodings in a few words, and the figures of a ladder. */
import type { Schemas } from '../../../client/types.d.ts';
import type { encodingsEn } from '../../i18n/en/encodings.ts';

export type Encoding = Schemas['Encoding'];
type Words = typeof encodingsEn;

/** `1920 × 1080 · 50 fps · H.264` */
export function videoText({ settings_video: video }: Pick<Encoding, 'settings_video'>, w: Words): string {
  if (!video.active) return w.noVideo;
  if (video.codec === 'copy') return w.copied;
  const { width, height, fps, codec, hdr_mode: mode } = video;
  const size = width === null ? (height === null ? w.asSource : `${height}p`) : `${width} × ${height ?? '–'}`;
  return [size, ...(fps > 0 ? [w.fps(fps)] : []), w.codecs[codec], ...(mode === 'off' ? [] : [w.hdr[mode]])].join(
    ' · ',
  );
}

/** `AAC · 128 kbit/s · stereo` */
export function audioText({ settings_audio: audio }: Pick<Encoding, 'settings_audio'>, w: Words): string {
  if (!audio.active) return w.noAudio;
  if (audio.codec === 'copy') return w.copied;
  const layout = w.layouts[String(audio.channels)] ?? w.otherLayout(audio.channels);
  return [w.codecs[audio.codec], w.rate(String(audio.bitrate)), layout].join(' · ');
}

/** Kilobits a second of video and audio; a copy has those of its source, which nobody knows beforehand. */
export function bitrateOf(encoding: Pick<Encoding, 'settings_video' | 'settings_audio'>): number {
  const { settings_video: video, settings_audio: audio } = encoding;
  const rate = ({ active, codec, bitrate }: { active: boolean; codec: string; bitrate: number }): number =>
    active && codec !== 'copy' ? bitrate : 0;
  return rate(video) + rate(audio);
}

/** The rungs as the ladder has them. */
export function inOrder(rungs: readonly Encoding[], order: 'asc' | 'desc'): Encoding[] {
  const sign = order === 'asc' ? 1 : -1;
  return [...rungs].sort((one, other) => sign * (bitrateOf(one) - bitrateOf(other)));
}

export function totalBitrate(rungs: readonly Encoding[]): number {
  return rungs.reduce((sum, rung) => sum + bitrateOf(rung), 0);
}
