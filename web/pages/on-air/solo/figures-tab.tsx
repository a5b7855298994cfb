/** Ten minutes of what is measured, drawn by uPlot, which comes when this tab is opened first. */
import { useComputed, useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type uPlot from 'uplot';
import type { StreamView } from '../../../live/streams.ts';
import type { Figure } from '../../../live/histories.ts';
import { theme } from '../../../prefs.ts';
import { shownZone } from '../../../shown-zone.ts';
import { clockText } from '../../../zone.ts';
import { words } from '../words.ts';
import { useEarlierFigures } from './earlier-figures.ts';

const SECONDS = 600;
const HEIGHT = 120;

interface Chart {
  title: string;
  series: { figure: Figure; label: string; look: 'accent' | 'ok' | 'warn'; scale: number }[];
}

function charts(): Chart[] {
  const w = words.value.solo;
  const { figures, series } = w;
  return [
    { title: figures.fps, series: [{ figure: 'fps', label: series.fps, look: 'accent', scale: 1 }] },
    {
      title: figures.rates,
      series: [
        { figure: 'kbps', label: series.kbps, look: 'ok', scale: 1000 },
        { figure: 'outKbps', label: series.outKbps, look: 'warn', scale: 1000 },
      ],
    },
    { title: figures.speed, series: [{ figure: 'speed', label: series.speed, look: 'accent', scale: 1 }] },
  ];
}

export function FiguresTab({ view }: { view: StreamView }) {
  const isFailed = useSignal(false);
  const make = useSignal<typeof uPlot | undefined>(undefined);
  useEarlierFigures(view.status.peek().livestreamId, view.history, SECONDS);
  useEffect(() => {
    import('uplot').then(
      ({ default: found }) => (make.value = found),
      () => (isFailed.value = true),
    );
  }, []);
  if (isFailed.value) return <p role="alert">{words.value.solo.chartFailed}</p>;
  const Plot = make.value;
  if (Plot === undefined) return null;
  // A chart keeps the colours and the zone that it was made with.
  const key = `${theme.value} ${shownZone.value}`;
  return (
    <div class="charts">
      {charts().map((chart) => (
        <ChartView key={`${chart.title} ${key}`} Plot={Plot} chart={chart} view={view} />
      ))}
    </div>
  );
}

interface ChartViewProps {
  Plot: typeof uPlot;
  chart: Chart;
  view: StreamView;
}

function dataOf({ history }: StreamView, { series }: Chart): uPlot.AlignedData {
  const times = history.instants(SECONDS).map((at) => at / 1000);
  return [times, ...series.map(({ figure, scale }) => history.last(figure, SECONDS).map((value) => value / scale))];
}

function ChartView({ Plot, chart, view }: ChartViewProps) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    const style = getComputedStyle(document.documentElement);
    const color = (name: string): string => style.getPropertyValue(name).trim();
    const axis: uPlot.Axis = {
      stroke: color('--soft'),
      grid: { stroke: color('--line'), width: 1 },
      ticks: { stroke: color('--line') },
      font: '13px Inter, system-ui, sans-serif',
    };
    const own = new Plot(
      {
        title: chart.title,
        width: element.clientWidth,
        height: HEIGHT,
        legend: { show: false },
        cursor: { show: false },
        axes: [{ ...axis, values: (_plot, ticks) => ticks.map((at) => clockText(at * 1000, shownZone.peek())) }, axis],
        scales: { y: { range: (_plot, _low, high) => [0, Math.max(1, high * 1.1)] } },
        series: [
          {},
          ...chart.series.map((one) => ({
            label: one.label,
            stroke: color(`--${one.look}`),
            width: 1.5,
            points: { show: false },
          })),
        ],
      },
      dataOf(view, chart),
      element,
    );
    plot.current = own;
    const watch = new ResizeObserver(() => own.setSize({ width: element.clientWidth, height: HEIGHT }));
    watch.observe(element);
    return () => {
      watch.disconnect();
      own.destroy();
    };
  }, []);
  useSignalEffect(() => {
    if (view.rates.value !== undefined) plot.current?.setData(dataOf(view, chart));
  });
  const last = useComputed(() =>
    view.rates.value === undefined
      ? []
      : chart.series.map(({ figure, label, look, scale }) => ({
          look,
          text: `${label} ${((view.history.last(figure, 1)[0] ?? 0) / scale).toFixed(2)}`,
        })),
  ).value;
  return (
    <div class="chart">
      <div ref={place} role="img" aria-label={`${chart.title}: ${last.map(({ text }) => text).join(', ')}`} />
      <p class="chart-now" aria-hidden="true">
        {last.map(({ look, text }) => (
          <span key={look} class={look}>
            ● {text}
          </span>
        ))}
      </p>
    </div>
  );
}
