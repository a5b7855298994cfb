/** Filters of ffmpeg that convert between the lights of a source, of the programme and of its renditions. */
import type { Light } from '../../../domain/shapes/encodings/light.ts';
import { WHITE_NITS } from './curves.ts';

/** Names of primaries, transfer and matrix as ffmpeg has them. */
export const COLOURS: Readonly<Record<Light, { primaries: string; transfer: string; matrix: string }>> = {
  sdr: { primaries: 'bt709', transfer: 'bt709', matrix: 'bt709' },
  pq: { primaries: 'bt2020', transfer: 'smpte2084', matrix: 'bt2020nc' },
  hlg: { primaries: 'bt2020', transfer: 'arib-std-b67', matrix: 'bt2020nc' },
};

/** The brightest highlight that is kept, in cd/m², and as a part of white. */
const PEAK_NITS = 1000;
export const PEAK = Number((PEAK_NITS / WHITE_NITS).toFixed(3));
/** Light up to this part of white is kept as it is; ffmpeg's mobius has no other unless it is told. */
export const KNEE = 0.3;

/** Names the light of frames: encoders take it from them, above what an option says. */
export function labelled(light: Light): string {
  const { primaries, transfer, matrix } = COLOURS[light];
  return `setparams=range=tv:color_primaries=${primaries}:color_trc=${transfer}:colorspace=${matrix}`;
}

/** The approximation of zimg converts each colour of HLG apart, and what a display makes of them depends on all three. */
const EXACT = ':agamma=0';

function zscale(from: Light, to: Light): string {
  const [source, target] = [COLOURS[from], COLOURS[to]];
  const input = `tin=${source.transfer}:pin=${source.primaries}:min=${source.matrix}:rin=tv`;
  return `zscale=${input}:t=${target.transfer}:p=${target.primaries}:m=${target.matrix}:r=tv:npl=${WHITE_NITS}${from === 'hlg' || to === 'hlg' ? EXACT : ''}`;
}

/** Returns the filters from one light in limited range to another, in ten bits. White of SDR is diffuse white in HDR. */
export function toLight(from: Light, to: Exclude<Light, 'sdr'>): string[] {
  return from === to ? ['format=yuv420p10le'] : ['format=yuv420p10le', zscale(from, to)];
}

/**
 * Maps PQ or HLG in BT.2020 to BT.709: colours and dark to middle tones keep their light (mobius is linear up to 0.3), highlights up to
 * 1000 cd/m² are fitted into what is left above. It follows the scaler, because it counts in floating point.
 */
export function toneMap(transfer: string, range: string | undefined, isExact = false): string[] {
  const source = `tin=${transfer}:pin=bt2020:min=bt2020nc:rin=${range === 'pc' ? 'pc' : 'tv'}`;
  return [
    'format=yuv420p10le',
    `zscale=${source}:t=linear:npl=${WHITE_NITS}${isExact ? EXACT : ''}`,
    'format=gbrpf32le',
    'zscale=p=bt709',
    `tonemap=mobius:desat=0:peak=${(PEAK_NITS / WHITE_NITS).toFixed(3)}`,
    'zscale=t=bt709:m=bt709:r=tv',
  ];
}

/** The same for a programme, whose frames must be labelled: their primaries are asked for by one of the filters. */
export function programmeToSdr(light: Light): string[] {
  return toneMap(COLOURS[light].transfer, 'tv', light === 'hlg');
}
