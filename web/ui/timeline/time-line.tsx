/** Rows against time: each item a button at its place. Styles are set by script, which the policy allows and markup may not. */
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { layersOf, shareOf, type Span } from './layout.ts';

export interface LineItem extends Span {
  /** The name of the button. */
  name: string;
  text: string;
  /** Chooses the look: a state of the resource. */
  state: string;
}

export interface LineMark {
  id: string;
  at: number;
  name: string;
}

export interface LineRow {
  id: string;
  label: string;
  from: number;
  to: number;
  items: readonly LineItem[];
  marks: readonly LineMark[];
}

export interface LineTick {
  /** Share of the width, 0 to 1. */
  at: number;
  text: string;
}

interface TimeLineProps {
  label: string;
  rows: readonly LineRow[];
  ticks: readonly LineTick[];
  now: number;
  chosen: string | undefined;
  onChoose: (id: string) => void;
  /** Stands above the rows. */
  children?: ComponentChildren;
}

const LAYER_PX = 30;

function place(element: HTMLElement | null, styles: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(styles)) element?.style.setProperty(name, value);
}

const percent = (share: number): string => `${(share * 100).toFixed(3)}%`;

export function TimeLine({ label, rows, ticks, now, chosen, onChoose, children }: TimeLineProps) {
  return (
    <div class="time-line" role="group" aria-label={label}>
      {children}
      <div class="time-line-head" aria-hidden="true">
        <span />
        <div>
          {ticks.map(({ at, text }) => (
            <span key={at} ref={(element) => place(element, { left: percent(at) })}>
              {text}
            </span>
          ))}
        </div>
      </div>
      {rows.map((row) => (
        <Row key={row.id} {...{ row, ticks, now, chosen, onChoose }} />
      ))}
    </div>
  );
}

type RowProps = Pick<TimeLineProps, 'ticks' | 'now' | 'chosen' | 'onChoose'> & { row: LineRow };

function Row({ row, ticks, now, chosen, onChoose }: RowProps) {
  const { from, to, items, marks } = row;
  const layers = useMemo(() => layersOf(items), [items]);
  const isNow = now >= from && now < to;
  return (
    <div class="time-line-row">
      <span class="time-line-label">{row.label}</span>
      <div class="time-line-lane" ref={(element) => place(element, { height: `${layers.count * LAYER_PX + 8}px` })}>
        {ticks.map(({ at }) => (
          <i key={at} aria-hidden="true" ref={(element) => place(element, { left: percent(at) })} />
        ))}
        {items.map((item) => {
          const { left, width } = shareOf(item, from, to);
          const top = `${(layers.at.get(item.id) ?? 0) * LAYER_PX + 4}px`;
          return (
            <button
              key={item.id}
              type="button"
              class="time-line-item"
              data-item={item.id}
              data-occurrence={item.state}
              aria-label={item.name}
              aria-pressed={item.id === chosen}
              ref={(element) => place(element, { left: percent(left), width: percent(width), top })}
              onClick={() => onChoose(item.id)}
            >
              {item.text}
            </button>
          );
        })}
        {marks.map(({ id, at, name }) => (
          <span
            key={id}
            class="time-line-mark"
            role="img"
            aria-label={name}
            title={name}
            ref={(element) => place(element, { left: percent(shareOf({ start: at, end: at }, from, to).left) })}
          >
            ◆
          </span>
        ))}
        {isNow && (
          <b
            aria-hidden="true"
            ref={(element) => place(element, { left: percent(shareOf({ start: now, end: now }, from, to).left) })}
          />
        )}
      </div>
    </div>
  );
}
