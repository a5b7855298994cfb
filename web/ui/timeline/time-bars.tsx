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

function nameClass({ look, startMs, room }: Bar, share: (at: number) => number): string {
  const isLate = share(startMs) > LATE_SHARE && room.startMs >= startMs;
  const isShort = share(room.endMs) - share(room.startMs) < SHORT_SHARE;
  return `bar-name bar-${look}${isLate ? ' bar-name-late' : ''}${isShort ? ' bar-name-short' : ''}`;
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
            ref={(element) => put(element, room, layer)}
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
