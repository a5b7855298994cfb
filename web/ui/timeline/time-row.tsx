/** One row of a time line: its bars, marks, the line of now, and what is being moved. */
import { Marks, Warning } from './time-marks.tsx';
import { useRef } from 'preact/hooks';
import { partAt, type Part } from './drag.ts';
import type { Span } from './layers.ts';
import type { Draft, Moving } from './moving.ts';

export const LAYER_PX = 30;

interface Bar extends Span {
  key: string;
  layer: number;
  /** All of it, as a reader of screens says it. */
  name: string;
  /** As much of it as there is room for. */
  text: string;
  look: string;
  rowId: number;
  canMove: boolean;
}

export interface Mark {
  atMs: number;
  name: string;
}

export interface TimeRow {
  id: number;
  label: string;
  fromMs: number;
  toMs: number;
  bars: readonly Bar[];
  marks: readonly Mark[];
  /** Of what a drag makes here. */
  rowId: number;
}

interface RowProps {
  row: TimeRow;
  layers: number;
  now: number;
  chosen: string | undefined;
  onChoose: (key: string) => void;
  moving: Moving | undefined;
  head: readonly { share: number }[];
}

export function Row({ row, layers, now, chosen, onChoose, moving, head }: RowProps) {
  const track = useRef<HTMLDivElement>(null);
  const wasDragged = useRef(false);
  const { fromMs, toMs } = row;
  const share = (at: number): number => Math.max(0, Math.min(1, (at - fromMs) / (toMs - fromMs)));
  const grab = (event: PointerEvent, bar: Bar | undefined): void => {
    const box = track.current?.getBoundingClientRect();
    if (moving === undefined || box === undefined || event.button !== 0 || bar?.canMove === false) return;
    const at = (x: number): number => fromMs + ((x - box.left) / box.width) * (toMs - fromMs);
    const begin = at(event.clientX);
    const own = (event.currentTarget as HTMLElement).getBoundingClientRect();
    const part: Part = bar === undefined ? 'new' : partAt(event.clientX, own);
    const draft: Draft = bar ?? { key: undefined, rowId: row.rowId, startMs: begin, endMs: begin };
    wasDragged.current = false;
    const move = (next: PointerEvent): void => {
      // A press that trembles is a click.
      if (!wasDragged.current && Math.abs(next.clientX - event.clientX) < 5) return;
      wasDragged.current = true;
      const { key, rowId, startMs, endMs } = draft;
      moving.drag({ key, rowId, startMs, endMs }, part, begin, at(next.clientX), next.altKey);
    };
    const end = (last: Event): void => {
      removeEventListener('pointermove', move);
      removeEventListener('pointerup', end);
      removeEventListener('pointercancel', end);
      if (last.type === 'pointerup' && wasDragged.current) moving.commit();
      else moving.back();
    };
    addEventListener('pointermove', move);
    addEventListener('pointerup', end);
    addEventListener('pointercancel', end);
  };
  const put = (element: HTMLElement | null, span: Span, layer: number): void => {
    element?.style.setProperty('left', `${share(span.startMs) * 100}%`);
    element?.style.setProperty('width', `${Math.max(0.002, share(span.endMs) - share(span.startMs)) * 100}%`);
    element?.style.setProperty('top', `${layer * LAYER_PX + 4}px`);
  };
  const draft = moving?.draft.value;
  const isHere = draft !== undefined && draft.rowId === row.rowId && draft.startMs < toMs && draft.endMs > fromMs;
  return (
    <div class="timeline-row" role="group" aria-label={row.label}>
      <span class="timeline-label">{row.label}</span>
      <div
        ref={track}
        class="timeline-track"
        onPointerDown={(event) => event.target === track.current && grab(event, undefined)}
      >
        <div
          ref={(element) => void element?.style.setProperty('height', `${layers * LAYER_PX + 8}px`)}
          class="timeline-room"
        />
        {head.map(({ share: left }) => (
          <i key={left} ref={(element) => void element?.style.setProperty('left', `${left * 100}%`)} />
        ))}
        {row.bars.map((bar) => (
          <button
            key={bar.key}
            type="button"
            data-bar={bar.key}
            class={`bar-of-time bar-${bar.look}`}
            aria-label={bar.name}
            aria-pressed={bar.key === chosen}
            title={bar.name}
            ref={(element) => put(element, bar, bar.layer)}
            onPointerDown={(event) => grab(event, bar)}
            onClick={() => wasDragged.current || onChoose(bar.key)}
          >
            {bar.text}
          </button>
        ))}
        <Marks {...{ row, share }} now={now > fromMs && now < toMs ? now : undefined} />
        {isHere && (
          <div class="bar-of-time bar-draft" ref={(element) => put(element, draft, 0)}>
            <Warning text={moving?.warning(draft)} />
          </div>
        )}
      </div>
    </div>
  );
}
