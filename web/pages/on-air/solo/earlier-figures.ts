/** Figures of before the page was opened, from the Device that keeps them. */
import { useEffect } from 'preact/hooks';
import { call, dataIn } from '../../../api/call.ts';
import { can } from '../../../api/can.ts';
import type { DataOf } from '../../../api/operation-types.ts';
import { serverNow } from '../../../live/clock.ts';
import type { FigureHistory, MeasuredFigures } from '../../../live/histories.ts';

/** Asks once: what comes from now on is heard anyway. Without an answer the charts begin with the page. */
export function useEarlierFigures(livestreamId: number, history: FigureHistory, seconds: number): void {
  useEffect(() => {
    if (!can('getRunReport')) return undefined;
    const leaving = new AbortController();
    const now = serverNow();
    const [from, to] = [now - seconds * 1000, now].map((ms) => new Date(ms).toISOString());
    const params = { livestreamId, from, to, points: seconds, limit: 1 };
    call('getRunReport', { params, signal: leaving.signal }).then(
      ({ body }) => history.addEarlier(figuresOf(dataIn(body) as DataOf<'getRunReport'>)),
      () => undefined,
    );
    return () => leaving.abort();
  }, []);
}

function figuresOf({ curves }: DataOf<'getRunReport'>): MeasuredFigures[] {
  if (curves === null) return [];
  const { from, step_seconds: step, values } = curves;
  const begin = Date.parse(from);
  return values.source_fps.flatMap((fps, index) => {
    if (fps === null) return [];
    const figures = {
      fps,
      kbps: values.source_kbps[index] ?? 0,
      outKbps: values.kbps[index] ?? 0,
      speed: values.speed[index] ?? 0,
      dropped: 0,
    };
    return [{ at: begin + index * step * 1000, figures }];
  });
}
