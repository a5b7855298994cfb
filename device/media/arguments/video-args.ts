/** Options of each video encoder: one rate, a keyframe every so many frames and nowhere else, no delay of its own. */
import { isHardware } from '../../../domain/shapes/encodings/hardware.ts';
import { lightOf } from '../../../domain/shapes/encodings/light.ts';
import type { VideoStreamPlan } from '../ladder/ladder-plan.ts';
import { COLOURS } from '../light/light-filters.ts';
import { brightnessText, displayText, masteringData, type MasteringData } from '../light/mastering-data.ts';
import { hardwareArgs } from './hardware-args.ts';

type Preset = VideoStreamPlan['settings']['preset'];

/** Presets of SVT-AV1 (12 is its fastest for live) and speeds of libvpx in real time (5 to 8). */
const AV1_PRESET: Record<Preset, number> = {
  ultrafast: 12,
  superfast: 11,
  veryfast: 10,
  faster: 9,
  fast: 8,
  medium: 7,
};
const VP9_SPEED: Record<Preset, number> = { ultrafast: 8, superfast: 7, veryfast: 7, faster: 6, fast: 5, medium: 5 };

/** Returns the options of video stream `i` of an output. `mastering` is what the source says of its light. */
export function videoArgs(stream: VideoStreamPlan, i: number, mastering?: MasteringData): string[] {
  const { settings, gop } = stream;
  const option = (name: string, value: string | number): string[] => [`-${name}:v:${i}`, String(value)];
  const codecArgs = (): string[] => {
    if (isHardware(settings.encoder)) return hardwareArgs(settings.encoder, settings, option);
    switch (settings.codec) {
      case 'hevc':
        return hevcArgs(stream, option, mastering);
      case 'av1':
        return av1Args(stream, option, mastering);
      case 'vp9':
        return vp9Args(stream, option);
      default:
        return h264Args(stream, option);
    }
  };
  return [...codecArgs(), ...option('g', gop), ...option('b', `${settings.bitrate}k`)];
}

type Option = (name: string, value: string | number) => string[];

/** A VBV of one second lets a segment exceed its rate by a sixth at most at 6 s, while a cut in the programme keeps its quality. */
function buffered(bitrate: number, option: Option): string[] {
  return [...option('maxrate', `${bitrate}k`), ...option('bufsize', `${bitrate}k`)];
}

function h264Args({ settings, gop }: VideoStreamPlan, option: Option): string[] {
  const { profile, level } = settings.h264;
  return [
    ...option('c', 'libx264'),
    ...option('preset', settings.preset),
    ...option('tune', 'zerolatency'),
    ...buffered(settings.bitrate, option),
    ...option('keyint_min', gop),
    ...option('sc_threshold', 0),
    ...(profile === null ? [] : option('profile', profile)),
    // ultrafast leaves out what makes a stream Main (CABAC) and High (8×8 transform): a profile that is named must have it.
    ...(profile === null || profile === 'baseline' ? [] : option('coder', 1)),
    ...(profile?.startsWith('high') === true ? option('8x8dct', 1) : []),
    ...(level === null ? [] : option('level', level)),
  ];
}

function hevcArgs({ settings, gop }: VideoStreamPlan, option: Option, mastering?: MasteringData): string[] {
  const { level } = settings.hevc;
  const profile = lightOf(settings) === 'sdr' ? settings.hevc.profile : 'main10';
  // x265 takes keyframe distance and level by its own list only; scene cuts would break the alignment of the ladder.
  const levelParam = level === null ? '' : `:level-idc=${level}`;
  const params = `keyint=${gop}:min-keyint=${gop}:scenecut=0:open-gop=0:repeat-headers=1:log-level=warning${levelParam}${hevcLight(settings, mastering)}`;
  return [
    ...option('c', 'libx265'),
    ...option('preset', settings.preset),
    ...option('tune', 'zerolatency'),
    ...buffered(settings.bitrate, option),
    ...(profile === null ? [] : option('profile', profile)),
    ...option('x265-params', params),
  ];
}

/** x265 writes what its own list says, and not what the frames do. HLG is named a second time for displays that read that (payload 147). */
function hevcLight(settings: VideoStreamPlan['settings'], mastering?: MasteringData): string {
  const light = lightOf(settings);
  if (light === 'sdr') return '';
  const { primaries, transfer, matrix } = COLOURS[light];
  const colours = `:colorprim=${primaries}:transfer=${transfer}:colormatrix=${matrix}:range=limited`;
  if (light === 'hlg') return `${colours}:atc-sei=18`;
  const own = masteringData(settings.hdr, mastering);
  const brightness = brightnessText(own);
  const display = `:hdr10=1:hdr10-opt=1:master-display=${displayText(own.display, true)}`;
  return `${colours}${display}${brightness === undefined ? '' : `:max-cll=${brightness}`}`;
}

/** SVT-AV1 takes the colours from the frames, and the rest by its own list. */
function av1Light(settings: VideoStreamPlan['settings'], mastering?: MasteringData): string {
  if (lightOf(settings) !== 'pq') return '';
  const own = masteringData(settings.hdr, mastering);
  const brightness = brightnessText(own);
  const display = `:enable-hdr=1:mastering-display=${displayText(own.display, false)}`;
  return `${display}${brightness === undefined ? '' : `:content-light=${brightness}`}`;
}

/** Constant rate needs the low-delay structure, and refuses a maxrate beside it (SVT-AV1 1.4). */
function av1Args({ settings }: VideoStreamPlan, option: Option, mastering?: MasteringData): string[] {
  return [
    ...option('c', 'libsvtav1'),
    ...option('preset', AV1_PRESET[settings.preset]),
    ...option('svtav1-params', `rc=2:pred-struct=1:scd=0${av1Light(settings, mastering)}`),
  ];
}

function vp9Args({ settings, gop }: VideoStreamPlan, option: Option): string[] {
  return [
    ...option('c', 'libvpx-vp9'),
    ...option('deadline', 'realtime'),
    ...option('cpu-used', VP9_SPEED[settings.preset]),
    ...option('row-mt', 1),
    // Profile 2 is 4:2:0 of ten bits.
    ...(lightOf(settings) === 'sdr' ? [] : option('profile', 2)),
    // Frames that are not shown would be delay.
    ...option('lag-in-frames', 0),
    ...option('auto-alt-ref', 0),
    ...option('keyint_min', gop),
    ...option('minrate', `${settings.bitrate}k`),
    ...buffered(settings.bitrate, option),
  ];
}
