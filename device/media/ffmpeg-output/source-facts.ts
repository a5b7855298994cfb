/** What ffmpeg says of an input that it has just analysed (av_dump_format), as far as filters and pace depend on it. */

export interface VideoFacts {
  width: number;
  height: number;
  /** Names of ffmpeg; undefined: the source does not say. */
  range: string | undefined;
  matrix: string | undefined;
  transfer: string | undefined;
}

export interface SourceFacts {
  /** Names of the demuxer, separated by commas. */
  demuxer: string | undefined;
  /** It has an end that is known: nothing live has. */
  hasLength: boolean;
  /** The one that ffmpeg takes when it is left the choice. */
  video: VideoFacts | undefined;
  /** A sound of it has more than two channels. */
  surround: boolean;
}

export const NO_FACTS: SourceFacts = {
  demuxer: undefined,
  hasLength: false,
  video: undefined,
  surround: false,
};

const FEW_CHANNELS = ['mono', 'stereo', 'downmix', '1 channels', '2 channels'];
/** ITU-R BT.2100: perceptual quantization and hybrid log-gamma. */
const HDR_TRANSFERS: Record<string, 'PQ' | 'HLG'> = { smpte2084: 'PQ', 'arib-std-b67': 'HLG' };

export function hdrOf(video: VideoFacts | undefined): 'PQ' | 'HLG' | undefined {
  return HDR_TRANSFERS[video?.transfer ?? ''];
}

/** The facts with what one more line says. `line` without a level in front is understood as well. */
export function withLine(facts: SourceFacts, line: string): SourceFacts {
  const demuxer = /Input #0, (.+), from '/u.exec(line)?.[1];
  if (demuxer !== undefined) return { ...NO_FACTS, demuxer };
  const duration = /^(?:\[info\])?\s*Duration: (N\/A|[\d:.]+),/u.exec(line)?.[1];
  if (duration !== undefined) return { ...facts, hasLength: duration !== 'N/A' };
  const video = videoIn(line);
  if (video !== undefined) {
    const isLarger = areaOf(video) > areaOf(facts.video);
    return isLarger ? { ...facts, video } : facts;
  }
  const layout = /Stream #0:\d+.*?: Audio: .*?, \d+ Hz, ([^,]+)/u.exec(line)?.[1];
  return layout === undefined || FEW_CHANNELS.includes(layout) ? facts : { ...facts, surround: true };
}

function areaOf(video: VideoFacts | undefined): number {
  return video === undefined ? 0 : video.width * video.height;
}

/** `Video: hevc (Main 10) (…), yuv420p10le(tv, bt2020nc/bt2020/smpte2084, top first), 1280x720 [SAR …`; one name of a colour stands for all. */
function videoIn(line: string): VideoFacts | undefined {
  const found = /Stream #0:\d+.*?: Video: .*?, \w+(?:\(([^)]*)\))?, (\d+)x(\d+)/u.exec(line);
  if (found === null || line.endsWith('(attached pic)')) return undefined;
  const [, properties = '', width, height] = found;
  const words = properties.split(', ');
  const range = words.find((word) => word === 'tv' || word === 'pc');
  const colour = words.find((word) =>
    /^(?:bt|smpte|fcc|gbr|ycgco|unknown|arib|ictcp|iec|linear|film|chroma)/u.test(word),
  );
  const [matrix, , transfer] = colour?.includes('/') === true ? colour.split('/') : [colour, colour, colour];
  const known = (name: string | undefined): string | undefined => (name === 'unknown' ? undefined : name);
  return { width: Number(width), height: Number(height), range, matrix: known(matrix), transfer: known(transfer) };
}
