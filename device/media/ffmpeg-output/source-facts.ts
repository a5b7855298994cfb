/** Reads ffmpeg's description of an input that it has just analysed (av_dump_format), as far as filters and rate depend on it. */

export interface VideoFacts {
  width: number;
  height: number;
  /** Names as ffmpeg writes them; undefined when the source does not say. */
  range: string | undefined;
  matrix: string | undefined;
  transfer: string | undefined;
  /** Width over height of a pixel; left out where the source does not say. */
  pixelAspect?: number;
  /** Its pictures have two fields. */
  interlaced?: boolean;
  /** Pictures a second on average, or as the source says. */
  fps?: number;
  /** The lowest rate that has an instant for each timestamp. */
  tbr?: number;
  /** Degrees clockwise by which a player turns it, 0-359; left out for none. */
  rotation?: number;
}

export interface AudioFacts {
  /** Number among all streams of the source. */
  index: number;
  /** Numbers of the programs of a transport stream that it belongs to. */
  programs: readonly number[];
  /** Its code in the source, of three letters as a rule; undefined when the source does not say. */
  language: string | undefined;
  /** It has more than two channels. */
  surround: boolean;
  mono: boolean;
}

export interface SourceFacts {
  /** Names of the demuxer, separated by commas. */
  demuxer: string | undefined;
  /** Its end is known, as it never is with a live source. */
  hasLength: boolean;
  /** The video that ffmpeg takes when it is left the choice. */
  video: VideoFacts | undefined;
  /** Its audio streams, in the order of their numbers. */
  audio: readonly AudioFacts[];
  /** The program whose streams are described at present. */
  program: number | undefined;
}

export const NO_FACTS: SourceFacts = {
  demuxer: undefined,
  hasLength: false,
  video: undefined,
  audio: [],
  program: undefined,
};

const ONE_CHANNEL = ['mono', '1 channels'];
const FEW_CHANNELS = [...ONE_CHANNEL, 'stereo', 'downmix', '2 channels'];
/** The transfers of ITU-R BT.2100 are perceptual quantization and hybrid log-gamma. */
const HDR_TRANSFERS: Record<string, 'PQ' | 'HLG'> = { smpte2084: 'PQ', 'arib-std-b67': 'HLG' };

export function hdrOf(video: VideoFacts | undefined): 'PQ' | 'HLG' | undefined {
  return HDR_TRANSFERS[video?.transfer ?? ''];
}

/** Returns the facts with those of one more line. A `line` without a level in front is understood as well. */
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
  const turned = /displaymatrix: rotation of (-?[\d.]+) degrees/u.exec(line)?.[1];
  // ffmpeg counts counter-clockwise. The lines of a stream follow it, and of several the first is turned.
  if (turned !== undefined && facts.video !== undefined && facts.video.rotation === undefined) {
    const rotation = (360 - Math.round(Number(turned))) % 360;
    return { ...facts, video: { ...facts.video, rotation: (rotation + 360) % 360 } };
  }
  const program = /^(?:\[info\])?\s*(?:Program (\d+)|No Program)/u.exec(line);
  if (program !== null) return { ...facts, program: program[1] === undefined ? undefined : Number(program[1]) };
  const audio = audioIn(line);
  return audio === undefined ? facts : { ...facts, audio: withAudio(facts, audio) };
}

/** A stream of several programs is described in each of them. */
function withAudio({ audio, program }: SourceFacts, found: Omit<AudioFacts, 'programs'>): AudioFacts[] {
  const known = audio.find(({ index }) => index === found.index)?.programs ?? [];
  const others = audio.filter(({ index }) => index !== found.index);
  const programs = program === undefined ? known : [...known, program];
  return [...others, { ...found, programs }].sort((a, b) => a.index - b.index);
}

/** Returns the audio tracks in the order in which a Channel numbers them; those of one program when it names one. */
export function tracksIn({ audio }: SourceFacts, program: number | undefined): readonly AudioFacts[] {
  return program === undefined || program === 0 ? audio : audio.filter(({ programs }) => programs.includes(program));
}

/** A line is `Stream #0:1[0x101](deu): Audio: aac (LC) (…), 48000 Hz, stereo, fltp, 129 kb/s`. */
function audioIn(line: string): Omit<AudioFacts, 'programs'> | undefined {
  const match = /Stream #0:(\d+)(?:\[0x[\da-f]+\])?(?:\(([^)]*)\))?: Audio: .*?, \d+ Hz, ([^,]+)/u.exec(line);
  if (match === null) return undefined;
  const [, index, language, layout = ''] = match;
  return {
    index: Number(index),
    language: language === 'und' ? undefined : language,
    surround: !FEW_CHANNELS.includes(layout),
    mono: ONE_CHANNEL.includes(layout),
  };
}

function areaOf(video: VideoFacts | undefined): number {
  return video === undefined ? 0 : video.width * video.height;
}

/**
 * A line is `Video: hevc (Main 10) (…), yuv420p10le(tv, bt2020nc/bt2020/smpte2084, top first), 1280x720 [SAR …`; one name of a colour
 * stands for all three.
 */
function videoIn(line: string): VideoFacts | undefined {
  const match = /Stream #0:\d+.*?: Video: .*?, \w+(?:\(([^)]*)\))?, (\d+)x(\d+)/u.exec(line);
  if (match === null || line.endsWith('(attached pic)')) return undefined;
  const [, properties = '', width, height] = match;
  const words = properties.split(', ');
  const range = words.find((word) => word === 'tv' || word === 'pc');
  const colour = words.find((word) =>
    /^(?:bt|smpte|fcc|gbr|ycgco|unknown|arib|ictcp|iec|linear|film|chroma)/u.test(word),
  );
  const [matrix, , transfer] = colour?.includes('/') === true ? colour.split('/') : [colour, colour, colour];
  const nameOf = (name: string | undefined): string | undefined => (name === 'unknown' ? undefined : name);
  const [, x, y] = /\[SAR (\d+):(\d+) DAR/u.exec(line) ?? [];
  const fps = rateIn(line, 'fps');
  const tbr = rateIn(line, 'tbr');
  return {
    width: Number(width),
    height: Number(height),
    range,
    matrix: nameOf(matrix),
    transfer: nameOf(transfer),
    ...(Number(x) > 0 && Number(y) > 0 && { pixelAspect: Number(x) / Number(y) }),
    ...(words.some((word) => /^(?:top|bottom) /u.test(word)) && { interlaced: true }),
    ...(fps !== undefined && { fps }),
    ...(tbr !== undefined && { tbr }),
  };
}

/** ffmpeg writes thousands as `90k`: that is a time base, no rate. */
function rateIn(line: string, unit: 'fps' | 'tbr'): number | undefined {
  const rate = new RegExp(`, ([\\d.]+) ${unit}(?:,|$| )`, 'u').exec(line)?.[1];
  return rate === undefined || Number(rate) === 0 ? undefined : Number(rate);
}
