/** The curves of a report: as they are answered, and as pictures of its page. */
import type { Control } from '../../../domain/ports/control.ts';
import { timesOf } from '../../../domain/rules/reports/report-times.ts';
import type { CurveName, ReportCurves } from '../../../domain/shapes/reports/curves.ts';
import type { WholeReport } from '../../../domain/shapes/reports/run-report.ts';
import { toIso } from '../../../domain/time/clock.ts';

/** null where no curves are wanted, or no Device has any. */
export async function readCurves(
  control: Pick<Control, 'curves'>,
  { livestreamId, from, to }: Pick<WholeReport, 'livestreamId' | 'from' | 'to'>,
  deviceIds: readonly number[],
  points: number,
): Promise<ReportCurves> {
  if (points === 0 || deviceIds.length === 0) return null;
  const curves = await control.curves(livestreamId, deviceIds, { ...secondsOf({ from, to }), points });
  if (curves === undefined) return null;
  return { from: toIso(curves.fromSeconds * 1000), step_seconds: curves.stepSeconds, values: curves.values };
}

/** The seconds since 1970 that a report is about; there is one at least, and the end is not in it. */
export function secondsOf({ from, to }: Pick<WholeReport, 'from' | 'to'>): { fromSeconds: number; toSeconds: number } {
  const fromSeconds = Math.floor(Date.parse(from) / 1000);
  return { fromSeconds, toSeconds: Math.max(fromSeconds + 1, Math.ceil(Date.parse(to) / 1000)) };
}

interface Chart {
  title: string;
  unit: string;
  lines: readonly CurveName[];
  /** The lowest value of its scale, where no value is lower; decibels begin at their own lowest. */
  floor?: 0;
}

const CHARTS: readonly Chart[] = [
  { title: 'Pictures a second', unit: '', lines: ['fps', 'source_fps'], floor: 0 },
  { title: 'Rates', unit: ' kbit/s', lines: ['kbps', 'source_kbps'], floor: 0 },
  { title: 'Encoding speed', unit: '', lines: ['speed'], floor: 0 },
  { title: 'Loudness', unit: ' LUFS', lines: ['short_term_lufs', 'integrated_lufs'] },
  { title: 'Peaks', unit: ' dBFS', lines: ['peak_left_dbfs', 'peak_right_dbfs'] },
  { title: 'Paths that are up', unit: '', lines: ['paths_up'], floor: 0 },
];
const [WIDTH, HEIGHT] = [1000, 90];
/** One is told from the other without its colour, too: the second is dashed. */
const STROKES = ['stroke="#0b7a4b"', 'stroke="#b45309" stroke-dasharray="4 2"'];

/** One drawing a chart that has values. The page that they stand on allows no style but its own, so that all is in attributes. */
export function curveDrawings(curves: ReportCurves, { from, zone }: Pick<WholeReport, 'from' | 'zone'>): string[] {
  if (curves === null) return [];
  const time = timesOf(from, zone);
  const beginMs = Date.parse(curves.from);
  return CHARTS.flatMap(({ title, unit, lines, floor }) => {
    const known = lines.filter((name) => curves.values[name].some((value) => value !== null));
    const all = known.flatMap((name) => curves.values[name].filter((value) => value !== null));
    if (all.length === 0) return [];
    const [low, high] = rangeOf(all, floor);
    const drawn = known.map((name, index) => line(curves.values[name], low, high, STROKES[index] ?? ''));
    const legend = `${title}: ${known.join(', ').replaceAll('_', ' ')}, ${low}${unit} to ${high}${unit}`;
    const endMs = beginMs + curves.values[lines[0]!].length * curves.step_seconds * 1000;
    return [
      `<figure><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" preserveAspectRatio="none" fill="none" stroke-width="1.5">${drawn.join('')}</svg>` +
        `<figcaption>${legend}; ${time(beginMs)} to ${time(endMs)}</figcaption></figure>`,
    ];
  });
}

function rangeOf(values: readonly number[], floor = Infinity): [number, number] {
  return values.reduce(([least, most], value) => [Math.min(least, value), Math.max(most, value)], [floor, -Infinity]);
}

/** A gap in the values is a gap in the line. */
function line(values: readonly (number | null)[], low: number, high: number, stroke: string): string {
  const across = (index: number): string => ((index * WIDTH) / Math.max(1, values.length - 1)).toFixed(1);
  const down = (value: number): string => (HEIGHT - ((value - low) / (high - low || 1)) * HEIGHT).toFixed(1);
  let isOpen = false;
  const steps = values.map((value, index) => {
    if (value === null) {
      isOpen = false;
      return '';
    }
    const command = isOpen ? 'L' : 'M';
    isOpen = true;
    return `${command}${across(index)} ${down(value)}`;
  });
  return `<path vector-effect="non-scaling-stroke" ${stroke} d="${steps.join('')}"/>`;
}
