/** Plans what the encoder makes of a run's renditions: size and rate of the raw programme, streams and their PIDs, keyframe distance. */
import type { RenditionSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import type { AudioSettings } from '../../../domain/shapes/encodings/encoding.ts';
import type { AudioTrack } from '../../../domain/shapes/sources/audio-tracks.ts';
import { isTenBit, programmeLight, type Light } from '../../../domain/shapes/encodings/light.ts';
import { isCopied } from '../../../domain/shapes/encodings/copied.ts';
import { isFragmented } from '../../../domain/rules/encodings/rendition-rules.ts';
import { fpsOf, frameRate } from './frame-rate.ts';
import type { FrameRate } from './frame-rate.ts';
import type { Samples } from '../light/frame-form.ts';
import { channelsOf, formOf, type SoundForm } from './sound-forms.ts';
import { planTracks, rawChannels, type TrackPlan } from './track-plan.ts';

/** ffmpeg's TS muxer numbers its streams from here, in the order of -map. */
export const FIRST_PID = 0x100;
export const SAMPLE_RATE = 48_000;
/** A run without video is clocked at this rate, in chunks of 40 ms. */
const AUDIO_ONLY_FPS = 25;
/**
 * Media that waits in memory for the next keyframe, or for a track that is behind: two keyframe distances of the heaviest ladder that is
 * allowed. Whoever reaches it is given up, as a source without keyframes or a track that stands still would fill the memory.
 */
export const MAX_BUFFERED_BYTES = 96 << 20;

export type VideoRendition = NonNullable<RenditionSpec['video']>;

export interface VideoStreamPlan {
  encodingId: number;
  pid: number;
  settings: VideoRendition;
  rate: FrameRate;
  /** Frames from keyframe to keyframe. */
  gop: number;
}

/** One track of the programme, in one quality. */
export interface AudioStreamPlan {
  pid: number;
  settings: AudioSettings;
  track: TrackPlan;
  /** As which it goes to the encoder. */
  form: SoundForm;
}

export interface RenditionPlan {
  encodingId: number;
  name: string;
  video: VideoStreamPlan | undefined;
  /** The default track, for Destinations that carry one. */
  audio: AudioStreamPlan | undefined;
  /** All tracks, in the order of the Live stream. */
  audios: AudioStreamPlan[];
}

export interface LadderPlan {
  /** Size of the raw programme, with square pixels: that of the largest rendition. */
  width: number;
  height: number;
  /** Ten bits where a rendition has them. */
  samples: Samples;
  /** The light of the renditions that are not in SDR, if there are any. */
  light: Light;
  /** Rate of the frame clock: the highest of the renditions. */
  rate: FrameRate;
  hasVideo: boolean;
  /** Video packets are taken as the source has them; there is no raw programme and no frame clock. */
  copy: boolean;
  /** The encoder writes fragments of MP4, a track a rendition, because a transport stream cannot hold its codec. */
  fragmented: boolean;
  keyframeSeconds: number;
  /** Frames of the clock after which all renditions have one: those of lower rates leave some out. */
  commonFrames: number;
  /** Tracks of the raw programme, whose samples are interleaved; there is one at least. */
  tracks: TrackPlan[];
  /** Bytes of one instant of the raw programme's audio: a 16-bit sample a channel of every track. */
  sampleBytes: number;
  /** The tracks as they go to the encoder; none where no sound is encoded. */
  forms: SoundForm[];
  /** Bytes of one instant of what the encoder gets. */
  sentBytes: number;
  videos: VideoStreamPlan[];
  audios: AudioStreamPlan[];
  renditions: RenditionPlan[];
}

function keyframeInterval(video: VideoRendition): number {
  // av1 and vp9 have no options of their own; h264's hold for them.
  return video.codec === 'hevc' ? video.hevc.keyframe_interval : video.h264.keyframe_interval;
}

/** Renditions with the same audio share one encoder and one stream. */
function isSameAudio(a: AudioSettings, b: AudioSettings): boolean {
  return a.codec === b.codec && a.bitrate === b.bitrate && a.channels === b.channels && a.sample_rate === b.sample_rate;
}

/** Without a list of tracks there is one: that of the Channel's settings, or the one that ffmpeg chooses. */
export function planLadder(renditions: readonly RenditionSpec[], audio: readonly AudioTrack[] = []): LadderPlan {
  const videoSettings = renditions.flatMap(({ video }) => (video === null ? [] : [video]));
  const largest = [...videoSettings].sort((a, b) => b.width * b.height - a.width * a.height)[0];
  const rate = frameRate(
    videoSettings.length === 0 ? AUDIO_ONLY_FPS : Math.max(...videoSettings.map((video) => video.fps)),
  );
  // The whole ladder has one distance, or players could not switch: the shortest of its renditions, in whole frames of each.
  const shortest = videoSettings.length === 0 ? 2 : Math.min(...videoSettings.map(keyframeInterval));
  const together = videoSettings.map(({ fps }) => ticksPerFrame(rate, fps)).reduce(leastCommonMultiple, 1);
  const keyframeTicks = Math.max(1, Math.round((shortest * fpsOf(rate)) / together)) * together;

  const videos: VideoStreamPlan[] = [];
  for (const { encodingId, video } of renditions) {
    if (video === null) continue;
    const gop = keyframeTicks / ticksPerFrame(rate, video.fps);
    videos.push({ encodingId, pid: FIRST_PID + videos.length, settings: video, rate: frameRate(video.fps), gop });
  }
  const audios: AudioStreamPlan[] = [];
  const forms: SoundForm[] = [];
  const tracks = planTracks(audio, rawChannels(renditions));
  const audioFor = (settings: AudioSettings, track: TrackPlan): AudioStreamPlan => {
    const shared = audios.find((stream) => stream.track === track && isSameAudio(stream.settings, settings));
    if (shared !== undefined) return shared;
    const form = formOf(forms, settings, track);
    const stream = { pid: FIRST_PID + videos.length + audios.length, settings, track, form };
    audios.push(stream);
    return stream;
  };
  const planned = renditions.map(({ encodingId, name, audio: settings }) => {
    const own = settings === null ? [] : tracks.map((track) => audioFor(settings, track));
    return {
      encodingId,
      name,
      video: videos.find((stream) => stream.encodingId === encodingId),
      audio: own.find(({ track }) => track.isDefault),
      audios: own,
    };
  });
  const sampleBytes = 2 * tracks.reduce((sum, { channels }) => sum + channels, 0);
  return {
    ...canvasOf(largest),
    samples: videoSettings.some(isTenBit) ? 'yuv420p10le' : 'yuv420p',
    light: programmeLight(videoSettings),
    rate,
    hasVideo: videoSettings.length > 0,
    copy: isCopied(renditions),
    fragmented: isFragmented(renditions),
    keyframeSeconds: keyframeTicks / fpsOf(rate),
    commonFrames: together,
    tracks,
    sampleBytes,
    forms,
    sentBytes: forms.length === 0 ? sampleBytes : 2 * channelsOf(forms),
    videos,
    audios,
    renditions: planned,
  };
}

/** A rendition makes its pixels that are not square itself: here a frame of 720×576 at 16:9 is one of 1024×576. */
function canvasOf(largest: VideoRendition | undefined): { width: number; height: number } {
  if (largest === undefined) return { width: 0, height: 0 };
  const { width, height, aspect_ratio: aspect } = largest;
  if (aspect === null || largest.codec === 'copy') return { width, height };
  const [x, y] = aspect.split(':').map(Number) as [number, number];
  const shape = x / y;
  return Math.abs(width / height / shape - 1) < 0.01
    ? { width, height }
    : { width: 2 * Math.round((height * shape) / 2), height };
}

function ticksPerFrame(clock: FrameRate, fps: number): number {
  return Math.max(1, Math.round(fpsOf(clock) / fpsOf(frameRate(fps))));
}

function leastCommonMultiple(a: number, b: number): number {
  let [high, low] = [a, b];
  while (low > 0) [high, low] = [low, high % low];
  return (a / high) * b;
}
