/** The small parts of a row of time. */
export interface Mark {
  key: string;
  atMs: number;
  name: string;
  rowId: number;
  /** undefined: nobody can open or move it. */
  onOpen: (() => void) | undefined;
}

interface MarksProps {
  row: { marks: readonly Mark[] };
  share: (at: number) => number;
  /** Left out where it is outside the row. */
  now: number | undefined;
  onPull: (event: PointerEvent, mark: Mark) => void;
  onOpen: (mark: Mark) => void;
}

function putAt(element: HTMLElement | null, left: number): void {
  element?.style.setProperty('left', `${left * 100}%`);
}

/** Points in time: what is planned, and the present. */
export function Marks({ row, share, now, onPull, onOpen }: MarksProps) {
  return (
    <>
      {row.marks.map((mark) =>
        mark.onOpen === undefined ? (
          <span
            key={mark.key}
            class="timeline-mark"
            role="img"
            aria-label={mark.name}
            title={mark.name}
            ref={(element) => putAt(element, share(mark.atMs))}
          >
            ◆
          </span>
        ) : (
          <button
            key={mark.key}
            type="button"
            data-mark={mark.key}
            class="timeline-mark"
            aria-label={mark.name}
            title={mark.name}
            ref={(element) => putAt(element, share(mark.atMs))}
            onPointerDown={(event) => onPull(event, mark)}
            onClick={() => onOpen(mark)}
          >
            ◆
          </button>
        ),
      )}
      {now !== undefined && <b ref={(element) => putAt(element, share(now))} />}
    </>
  );
}

/** Where a mark would go. */
export function MarkDraft({ left }: { left: number }) {
  return (
    <span class="timeline-mark timeline-mark-draft" ref={(element) => putAt(element, left)}>
      ◆
    </span>
  );
}

/** Why the times that are being chosen do not fit. */
export function Warning({ text }: { text: string | undefined }) {
  return text === undefined ? null : <>▲ {text}</>;
}
