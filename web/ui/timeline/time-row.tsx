/** One row of a time line: its bars, marks, the line of now, and what is being moved. */
import { useRef } from 'preact/hooks';
import { partAt, type Part } from './drag.ts';
import type { Span } from './layers.ts';
import type { Draft, Moving } from './moving.ts';
import { followPull } from './pull.ts';
import { Bars, type Bar } from './time-bars.tsx';
import { MarkDraft, Marks, Warning, type Mark } from './time-marks.tsx';

const LAYER_PX = 30;
const PAD_PX = 8;
/** Marks have a strip of their own below the bars. */
const MARKS_PX = 24;

export function heightOf({ bars, marks }: TimeRow): number {
  const layers = Math.max(1, ...bars.map(({ layer }) => layer + 1));
  return layers * LAYER_PX + PAD_PX + (marks.length > 0 ? MARKS_PX : 0);
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
  now: number;
  chosen: string | undefined;
  onChoose: (key: string) => void;
  moving: Moving | undefined;
  head: readonly { share: number }[];
}

export function Row({ row, now, chosen, onChoose, moving, head }: RowProps) {
  const track = useRef<HTMLDivElement>(null);
  const wasDragged = useRef(false);
  const { fromMs, toMs } = row;
  const share = (at: number): number => Math.max(0, Math.min(1, (at - fromMs) / (toMs - fromMs)));
  const pull = (event: PointerEvent, held: Draft | undefined, partOf: (own: DOMRect) => Part): void => {
    const box = track.current?.getBoundingClientRect();
    if (moving === undefined || box === undefined || event.button !== 0) return;
    const at = (x: number): number => fromMs + ((x - box.left) / box.width) * (toMs - fromMs);
    const begin = at(event.clientX);
    const part = partOf((event.currentTarget as HTMLElement).getBoundingClientRect());
    const draft = held ?? { key: undefined, rowId: row.rowId, startMs: begin, endMs: begin };
    wasDragged.current = false;
    followPull(event, {
      onMove(next) {
        wasDragged.current = true;
        moving.drag(draft, part, begin, at(next.clientX), next.altKey);
      },
      onEnd: (isDone) => (isDone ? moving.commit() : moving.back()),
    });
  };
  const pullBar = (event: PointerEvent, { key, rowId, startMs, endMs, canMove }: Bar): void => {
    if (canMove) pull(event, { key, rowId, startMs, endMs }, (own) => partAt(event.clientX, own));
  };
  const pullMark = (event: PointerEvent, { key, rowId, atMs }: Mark): void =>
    pull(event, { key, rowId, startMs: atMs, endMs: atMs, isMark: true }, () => 'whole');
  const put = (element: HTMLElement | null, span: Span, layer: number): void => {
    element?.style.setProperty('left', `${share(span.startMs) * 100}%`);
    element?.style.setProperty('width', `${Math.max(0.002, share(span.endMs) - share(span.startMs)) * 100}%`);
    element?.style.setProperty('top', `${layer * LAYER_PX + 4}px`);
  };
  return (
    <div class="timeline-row" role="group" aria-label={row.label}>
      <span class="timeline-label">{row.label}</span>
      <div
        ref={track}
        class="timeline-track"
        onPointerDown={(event) => event.target === track.current && pull(event, undefined, () => 'new')}
      >
        <div ref={(element) => void element?.style.setProperty('height', `${heightOf(row)}px`)} class="timeline-room" />
        {head.map(({ share: left }) => (
          <i key={left} ref={(element) => void element?.style.setProperty('left', `${left * 100}%`)} />
        ))}
        <Bars
          bars={row.bars}
          chosen={chosen}
          share={share}
          put={put}
          onPull={pullBar}
          onChoose={(key) => wasDragged.current || onChoose(key)}
        />
        <Marks
          row={row}
          share={share}
          now={now > fromMs && now < toMs ? now : undefined}
          onPull={pullMark}
          onOpen={(mark) => wasDragged.current || mark.onOpen?.()}
        />
        {moving !== undefined && <DraftInRow row={row} moving={moving} put={put} share={share} />}
      </div>
    </div>
  );
}

interface DraftProps extends Pick<RowProps, 'row'> {
  moving: Moving;
  put: (element: HTMLElement | null, span: Span, layer: number) => void;
  share: (at: number) => number;
}

/** It alone is drawn anew with each move of the pointer. */
function DraftInRow({ row, moving, put, share }: DraftProps) {
  const draft = moving.draft.value;
  if (draft === undefined || draft.rowId !== row.rowId || draft.startMs >= row.toMs) return null;
  if (draft.isMark === true) return draft.startMs < row.fromMs ? null : <MarkDraft left={share(draft.startMs)} />;
  if (draft.endMs <= row.fromMs) return null;
  return (
    <div class="bar-of-time bar-draft" ref={(element) => put(element, draft, 0)}>
      <Warning text={moving.warning(draft)} />
    </div>
  );
}
