/** RunSpecs for tests: small pictures, short segments, everything else as users get it. */
import { publishingCreate } from '../../../domain/shapes/destinations/publishing.ts';
import { encodingCreate } from '../../../domain/shapes/encodings/encoding.ts';
import { RUN_SPEC_DEFAULTS } from '../../../domain/shapes/broadcasts/run-defaults.ts';
import type { OutputSpec, RenditionSpec, RunSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import type { ChannelSettings } from '../../../domain/types/channel-settings.ts';
import type { ChannelType } from '../../../domain/types/channel-types.ts';
import type { PublishingType } from '../../../domain/types/destination-types.ts';

export const LIVESTREAM_ID = 7;
const video = encodingCreate.settings_video.parse({});
const audio = encodingCreate.settings_audio.parse({});
const settings = publishingCreate.settings.parse({});

export function rendition(
  encodingId: number,
  width: number,
  height: number,
  bitrate: number,
  more: Partial<NonNullable<RenditionSpec['video']>> = {},
): RenditionSpec {
  const h264 = { ...video.h264, keyframe_interval: 1 };
  return {
    encodingId,
    name: `${height}p`,
    video: { ...video, preset: 'ultrafast', bitrate, h264, width, height, fps: 30, ...more },
    audio,
  };
}

/** For segments of half a second: what is waited for in them comes twice as soon. */
export const QUICK = {
  rendition: { h264: { ...video.h264, keyframe_interval: 0.5 } },
  output: { playlist_length: 120, segment_duration: 0.5 },
};

export function output(
  publishingId: number,
  type: PublishingType,
  more: Partial<OutputSpec['settings']> = {},
  rest: Partial<OutputSpec> = {},
): OutputSpec {
  const retry = { max_attempts: 50, initial_delay_ms: 200, max_delay_ms: 500 };
  const own = { ...settings, segment_duration: 1, ...more };
  return {
    publishingId,
    name: `${type} ${publishingId}`,
    type,
    settings: own,
    retry,
    primary: true,
    backup: null,
    qualities: [],
    ...rest,
  };
}

export function fileSource(path: string, loop = true): RunSpec['source'] {
  return { channelId: 3, name: 'Clip', type: 'File', settings: { filename: 'clip.mp4', loop }, path };
}

export function source(type: ChannelType, own: ChannelSettings): RunSpec['source'] {
  return { channelId: 3, name: 'Feed', type, settings: own, path: null };
}

export function runSpec(
  runId: string,
  from: RunSpec['source'],
  outputs: OutputSpec[],
  more: Partial<RunSpec> = {},
): RunSpec {
  return {
    runId,
    livestreamId: LIVESTREAM_ID,
    name: 'Test',
    source: from,
    outputs,
    ...RUN_SPEC_DEFAULTS,
    fallback: { mode: 'slate', path: null },
    renditions: [rendition(11, 320, 180, 800), rendition(12, 160, 90, 300)],
    startTimeoutSeconds: 60,
    ...more,
  };
}
