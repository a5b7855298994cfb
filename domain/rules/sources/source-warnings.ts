/** Warnings about a source that was looked at: what will hurt on air, and what to change. */
import {
  SILENCE_DBFS,
  type DeviceProbe,
  type ProbedAudio,
  type ProbedVideo,
  type SourceWarning,
} from '../../shapes/sources/probe.ts';

/** A viewer who joins, and a source that comes back, wait for the next keyframe. */
const MAX_KEYFRAME_SECONDS = 4;
/** Speech and music of programmes are far above it; noise of an open input is about there. */
const SILENT_PEAK_DBFS = -60;
const LOW_RMS_DBFS = -40;
/** Samples at the end of the scale have been cut off. */
const HIGH_PEAK_DBFS = -0.1;

export const SOURCE_WARNINGS = [
  'no_video',
  'no_audio',
  'keyframes_far_apart',
  'variable_frame_rate',
  'interlaced',
  'odd_size',
  'hdr',
  'hevc_copy',
  'silent_audio',
  'low_level',
  'high_level',
] as const;

type Facts = Pick<DeviceProbe, 'video' | 'audio' | 'seconds' | 'isVariableRate'>;

/** Answers the worst first. */
export function sourceWarnings({ video, audio, seconds, isVariableRate }: Facts): SourceWarning[] {
  return [
    ...(video === null
      ? [warn('no_video', 'The source has no video.', 'Send video, or use an Encoding without video.')]
      : videoWarnings(video, seconds, isVariableRate)),
    ...(audio.length === 0
      ? [warn('no_audio', 'The source has no audio.', 'Add an audio track at the encoder, even a silent one.')]
      : audio.flatMap((track, at) => audioWarnings(track, at))),
  ];
}

function videoWarnings(video: ProbedVideo, seconds: number, isVariableRate: boolean): SourceWarning[] {
  const { codec, width, height, interlaced, hdr, keyframe_interval_seconds: interval } = video;
  const warnings: SourceWarning[] = [];
  const isFar = interval === null ? seconds > MAX_KEYFRAME_SECONDS : interval > MAX_KEYFRAME_SECONDS;
  if (isFar) {
    const distance = interval === null ? `more than ${seconds.toFixed(1)} s` : `${interval.toFixed(1)} s`;
    const message = `Its keyframes are ${distance} apart; the start and each return wait for the next one.`;
    warnings.push(warn('keyframes_far_apart', message, 'Set a keyframe interval of 2 s at the encoder.'));
  }
  if (isVariableRate)
    warnings.push(
      warn(
        'variable_frame_rate',
        'Its pictures come at no constant rate; some will be repeated or dropped.',
        'Set a constant frame rate (CFR) at the encoder, or a fixed fps in the Encoding.',
      ),
    );
  if (interlaced === true)
    warnings.push(
      warn(
        'interlaced',
        'Its video is interlaced; it is deinterlaced before it is encoded.',
        'Send progressive video where the camera can, and do not copy the video.',
      ),
    );
  if (width % 2 === 1 || height % 2 === 1)
    warnings.push(
      warn(
        'odd_size',
        `Its pictures have ${width}x${height} pixels; most codecs take even numbers alone.`,
        'Set an even width and height at the encoder.',
      ),
    );
  if (hdr !== null)
    warnings.push(
      warn(
        'hdr',
        `Its video is ${hdr}; without tone mapping (an ffmpeg with zscale) its colours look pale.`,
        'Send SDR (BT.709), or use a Device whose ffmpeg has zscale.',
      ),
    );
  if (codec === 'hevc')
    warnings.push(
      warn(
        'hevc_copy',
        'Its video is H.265, which an RTMP Destination cannot carry when it is copied.',
        'Encode to H.264, or deliver by Enhanced RTMP, SRT, HLS or CMAF.',
      ),
    );
  return warnings;
}

function audioWarnings({ peak_dbfs: peak, rms_dbfs: rms }: ProbedAudio, at: number): SourceWarning[] {
  if (peak === null || rms === null) return [];
  const track = `Audio track ${at}`;
  if (peak <= SILENT_PEAK_DBFS) {
    const level = peak <= SILENCE_DBFS ? 'digital silence' : `a peak of ${peak.toFixed(1)} dBFS`;
    return [warn('silent_audio', `${track} is silent (${level}).`, 'Unmute the input, or choose another track.')];
  }
  if (rms < LOW_RMS_DBFS)
    return [
      warn('low_level', `${track} is very quiet (${rms.toFixed(1)} dBFS RMS).`, 'Raise the level at the encoder.'),
    ];
  if (peak > HIGH_PEAK_DBFS)
    return [
      warn(
        'high_level',
        `${track} reaches the end of the scale (peak ${peak.toFixed(1)} dBFS).`,
        'Lower the level at the encoder; cut-off peaks cannot be mended behind it.',
      ),
    ];
  return [];
}

function warn(code: (typeof SOURCE_WARNINGS)[number], message: string, remedy: string): SourceWarning {
  return { code, message, remedy };
}
