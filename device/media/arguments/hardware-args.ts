/** Options of encoders in hardware: one rate, a keyframe every so many frames and nowhere else, no delay of its own. */
import { isTenBit, type HardwareKind } from '../../../domain/shapes/encodings/hardware.ts';
import type { VideoRendition } from '../ladder/ladder-plan.ts';

type Option = (name: string, value: string | number) => string[];
type Preset = VideoRendition['preset'];

const NVENC_PRESET: Record<Preset, string> = {
  ultrafast: 'p2',
  superfast: 'p3',
  veryfast: 'p4',
  faster: 'p5',
  fast: 'p6',
  medium: 'p7',
};
/** It has none that is faster. */
const QSV_PRESET: Partial<Record<Preset, Preset>> = { ultrafast: 'veryfast', superfast: 'veryfast' };

/** Opens what the kinds need beside their encoders; `node` is the render node of the card, such as /dev/dri/renderD128. */
export function openingArgs(kinds: readonly HardwareKind[], node: string | undefined): string[] {
  const at = (key: string): string => (node === undefined ? '' : `${key}${node}`);
  return [
    ...(kinds.includes('qsv') ? ['-init_hw_device', `qsv=qsv:hw${at(',child_device=')}`] : []),
    ...(kinds.includes('vaapi') ? ['-init_hw_device', `vaapi=vaapi${at(':')}`, '-filter_hw_device', 'vaapi'] : []),
  ];
}

export function hardwareArgs(kind: HardwareKind, settings: VideoRendition, option: Option): string[] {
  const { codec, bitrate } = settings;
  return [
    ...option('c', `${codec}_${kind}`),
    ...OWN[kind](settings, option),
    ...option('bf', 0),
    ...option('maxrate', `${bitrate}k`),
    ...option('bufsize', `${bitrate}k`),
    ...profileArgs(kind, settings, option),
  ];
}

const OWN: Record<HardwareKind, (settings: VideoRendition, option: Option) => string[]> = {
  nvenc: ({ preset }, option) => [
    ...option('preset', NVENC_PRESET[preset]),
    ...option('tune', 'ull'),
    ...option('rc', 'cbr'),
    ...option('zerolatency', 1),
    ...option('rc-lookahead', 0),
    ...option('no-scenecut', 1),
    ...option('forced-idr', 1),
  ],
  qsv: ({ preset }, option) => [
    ...option('preset', QSV_PRESET[preset] ?? preset),
    ...option('async_depth', 1),
    ...option('idr_interval', 0),
    ...option('forced_idr', 1),
  ],
  vaapi: (_settings, option) => [
    ...option('rc_mode', 'CBR'),
    ...option('async_depth', 1),
    ...option('idr_interval', 0),
  ],
};

function profileArgs(kind: HardwareKind, settings: VideoRendition, option: Option): string[] {
  const { codec, h264, hevc } = settings;
  const { profile, level } = codec === 'hevc' ? hevc : h264;
  const named = isTenBit(settings) ? 'main10' : profile;
  // VA-API has the one kind of baseline that decoders know.
  const name = kind === 'vaapi' && named === 'baseline' ? 'constrained_baseline' : named;
  // The level of QSV is a number, ten times the one that is written.
  const tenth = level !== null && kind === 'qsv' ? Math.round(Number(level) * 10) : level;
  return [...(name === null ? [] : option('profile', name)), ...(tenth === null ? [] : option('level', tenth))];
}
