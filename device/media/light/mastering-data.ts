/** Displays are told on which display a programme in HDR10 was graded (SMPTE ST 2086), and how bright it gets (CTA-861.3). */
import type { VideoSettings } from '../../../domain/shapes/encodings/encoding.ts';
import type { PRIMARIES } from '../../../domain/shapes/encodings/light.ts';

type Point = readonly [x: number, y: number];

export interface MasteringDisplay {
  red: Point;
  green: Point;
  blue: Point;
  white: Point;
  /** cd/m². */
  max: number;
  min: number;
}

/** A source says them, or some of them, or none. */
export interface MasteringData {
  display?: MasteringDisplay;
  /** cd/m² of the brightest pixel, and of the brightest picture in the mean; 0 is not known. */
  maxCll?: number;
  maxFall?: number;
}

const D65: Point = [0.3127, 0.329];
/** SMPTE RP 431-2 with white at D65, and ITU-R BT.2020-2 table 3. */
const DISPLAYS: Readonly<Record<(typeof PRIMARIES)[number], Omit<MasteringDisplay, 'max' | 'min'>>> = {
  p3: { red: [0.68, 0.32], green: [0.265, 0.69], blue: [0.15, 0.06], white: D65 },
  bt2020: { red: [0.708, 0.292], green: [0.17, 0.797], blue: [0.131, 0.046], white: D65 },
};
/** Most of what is graded in HDR is graded on such a display. */
const USUAL: MasteringDisplay = { ...DISPLAYS.p3, max: 1000, min: 0.005 };

/** Returns what is set, else what the source says, else the usual display. Nothing is made up of how bright pictures get. */
export function masteringData(
  hdr: VideoSettings['hdr'],
  source: MasteringData = {},
): MasteringData & Required<Pick<MasteringData, 'display'>> {
  const { mastering = null, max_cll: pixel = null, max_fall: picture = null } = hdr ?? {};
  const own = mastering === null ? undefined : { ...DISPLAYS[mastering.primaries], ...mastering };
  const maxCll = pixel ?? source.maxCll;
  const maxFall = picture ?? source.maxFall;
  return {
    display: own ?? source.display ?? USUAL,
    ...(maxCll !== undefined && { maxCll }),
    ...(maxFall !== undefined && { maxFall }),
  };
}

/** Whether a part of it is left to the source. */
export function isLeftToSource(hdr: VideoSettings['hdr']): boolean {
  return (hdr?.mastering ?? null) === null || hdr!.max_cll === null || hdr!.max_fall === null;
}

/** Writes coordinates and luminances as x265 and SVT-AV1 read them: in their least units, or as they are. */
export function displayText({ red, green, blue, white, max, min }: MasteringDisplay, isInUnits: boolean): string {
  const [coordinate, luminance] = isInUnits ? [50_000, 10_000] : [1, 1];
  const pair = ([a, b]: Point, unit: number): string => {
    const parts = [a * unit, b * unit].map((part) => String(isInUnits ? Math.round(part) : Number(part.toFixed(5))));
    return `(${parts.join(',')})`;
  };
  const points = { G: green, B: blue, R: red, WP: white };
  const text = Object.entries(points).map(([name, point]) => `${name}${pair(point, coordinate)}`);
  return `${text.join('')}L${pair([max, min], luminance)}`;
}

/** Undefined where nothing is known. */
export function brightnessText({ maxCll, maxFall }: MasteringData): string | undefined {
  return maxCll === undefined && maxFall === undefined ? undefined : `${maxCll ?? 0},${maxFall ?? 0}`;
}

const NUMBER = '(-?[\\d.]+)';
const PAIR = `\\(${NUMBER},? *${NUMBER}\\)`;
const MASTERING = new RegExp(
  `has_primaries:1 has_luminance:1 r${PAIR} g${PAIR} b${PAIR} wp ?${PAIR} min_luminance=${NUMBER}, max_luminance=${NUMBER}`,
  'u',
);
const BRIGHTNESS = /MaxCLL=(\d+), MaxFALL=(\d+)/u;

/** Reads what ffmpeg's showinfo says of a picture; undefined for another line. */
export function masteringIn(line: string): MasteringData | undefined {
  const brightness = BRIGHTNESS.exec(line);
  if (brightness !== null) return { maxCll: Number(brightness[1]), maxFall: Number(brightness[2]) };
  const values = MASTERING.exec(line)?.slice(1).map(Number);
  if (values === undefined) return undefined;
  const [rx, ry, gx, gy, bx, by, wx, wy, min, max] = values as [
    ...[number, number, number, number, number, number, number, number],
    number,
    number,
  ];
  return { display: { red: [rx, ry], green: [gx, gy], blue: [bx, by], white: [wx, wy], max, min } };
}
