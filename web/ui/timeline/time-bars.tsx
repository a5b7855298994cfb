/** The bars of a row of time, each with its name. A name without room shows whole while its bar is pointed at or has focus. */
import type { Span } from './layers.ts';

export interface Bar extends Span {
  key: string;
  layer: number;
  /** All of it, as a reader of screens says it. */
  name: string;
  /** The sign of its state, which always shows. */
  shape: string;
  /** As much of it as there is room for. */
  text: string;
  /** Stands behind the text where the whole of it shows. */
  when: string;
  /** The text has room in it. */
  room: Span;
  look: string;
  rowId: number;
  canMove: boolean;
}

/** The name of a bar so far to the right is shown whole to the left. */
const LATE_SHARE = 0.6;
/** So little of a row is no room for a name. */
const SHORT_SHARE = 0.05;

const isBefore = ({ startMs, room }: Bar): boolean => room.startMs < startMs;

function nameClass(bar: Bar, share: (at: number) => number): string {
  const { look, startMs, room } = bar;
  const isLate = share(startMs) > LATE_SHARE && !isBefore(bar);
  const isShort = share(room.endMs) - share(room.startMs) < SHORT_SHARE;
  const place = isBefore(bar) ? ' bar-name-before' : isLate ? ' bar-name-late' : '';
  return `bar-name bar-${look}${place}${isShort ? ' bar-name-short' : ''}`;
}

interface BarsProps {
  bars: readonly Bar[];
  chosen: string | undefined;
  share: (at: number) => number;
  put: (element: HTMLElement | null, span: Span, layer: number) => void;
  onPull: (event: PointerEvent, bar: Bar) => void;
  onChoose: (key: string) => void;
}

export function Bars({ bars, chosen, share, put, onPull, onChoose }: BarsProps) {
  return (
    <>
      {bars.map((bar) => {
        const { key, look, layer, name, shape, text, when, room } = bar;
        return [
          <button
            key={key}
            type="button"
            data-bar={key}
            class={`bar-of-time bar-${look}`}
            aria-label={name}
            aria-pressed={key === chosen}
            title={name}
            ref={(element) => put(element, bar, layer)}
            onPointerDown={(event) => onPull(event, bar)}
            onClick={() => onChoose(key)}
          />,
          <span
            key={`name ${key}`}
            class={nameClass(bar, share)}
            aria-hidden="true"
            ref={(element) => put(element, isBefore(bar) ? { startMs: room.startMs, endMs: bar.startMs } : room, layer)}
          >
            {shape}{' '}
            <span>
              {text} <small>{when}</small>
            </span>
          </span>,
        ];
      })}
    </>
  );
}
