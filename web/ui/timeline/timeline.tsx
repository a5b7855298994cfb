/** Rows × time: bars are buttons in layers, drawn where the row is in view. It knows no resource. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { rowsInView } from './layers.ts';
import { heightOf, Row, type TimeRow } from './time-row.tsx';
import type { Moving } from './moving.ts';

export type { TimeRow };

interface TimelineProps {
  label: string;
  rows: readonly TimeRow[];
  /** Begins and ends of what the head shows: days or hours. */
  head: readonly { label: string; share: number }[];
  /** Instants between them. */
  ticks: readonly { label: string; share: number }[];
  now: number;
  chosen: string | undefined;
  onChoose: (key: string) => void;
  /** undefined: nothing can be moved. */
  moving: Moving | undefined;
  foot?: ComponentChildren;
}

export function Timeline(props: TimelineProps) {
  const { label, rows, head, ticks, now, chosen, onChoose, moving } = props;
  const box = useRef<HTMLDivElement>(null);
  const seen = useSignal({ top: 0, height: 900 });
  useEffect(() => {
    const look = (): void => {
      const { top = 0 } = box.current?.getBoundingClientRect() ?? {};
      seen.value = { top: Math.max(0, -top), height: innerHeight };
    };
    look();
    addEventListener('scroll', look, { passive: true, capture: true });
    addEventListener('resize', look);
    return () => {
      removeEventListener('scroll', look, { capture: true });
      removeEventListener('resize', look);
    };
  }, []);
  const heights = rows.map(heightOf);
  const { first, last, before, after } = rowsInView(heights, seen.value.top, seen.value.height);
  return (
    <div class="timeline" role="group" aria-label={label} ref={box}>
      <div class="timeline-row timeline-head" aria-hidden="true">
        <span />
        <div class="timeline-track">
          {head.map(({ label: text, share }, index) => (
            <span
              key={`${text} ${share}`}
              ref={(element) => place(element, { left: share, width: (head[index + 1]?.share ?? 1) - share })}
            >
              {text}
            </span>
          ))}
          {ticks.map(({ label: text, share }) => (
            <small key={share} ref={(element) => void element?.style.setProperty('left', `${share * 100}%`)}>
              {text}
            </small>
          ))}
        </div>
      </div>
      <div ref={(element) => void element?.style.setProperty('height', `${before}px`)} />
      {rows.slice(first, last + 1).map((row) => (
        <Row key={row.id} row={row} now={now} chosen={chosen} onChoose={onChoose} moving={moving} head={head} />
      ))}
      <div ref={(element) => void element?.style.setProperty('height', `${after}px`)} />
      {props.foot}
    </div>
  );
}

/** The policy allows no style attribute; a property may be set. */
function place(element: HTMLElement | null, { left, width }: { left: number; width: number }): void {
  element?.style.setProperty('left', `${left * 100}%`);
  element?.style.setProperty('width', `${width * 100}%`);
}
