/** The small parts of a row of time. */
interface MarksProps {
  row: { marks: readonly { atMs: number; name: string }[] };
  share: (at: number) => number;
  /** Left out where it is outside the row. */
  now: number | undefined;
}

/** Points in time: what is planned, and the present. */
export function Marks({ row, share, now }: MarksProps) {
  return (
    <>
      {row.marks.map((mark) => (
        <span
          key={`${mark.atMs} ${mark.name}`}
          class="timeline-mark"
          role="img"
          aria-label={mark.name}
          title={mark.name}
          ref={(element) => void element?.style.setProperty('left', `${share(mark.atMs) * 100}%`)}
        >
          ◆
        </span>
      ))}
      {now !== undefined && <b ref={(element) => void element?.style.setProperty('left', `${share(now) * 100}%`)} />}
    </>
  );
}

/** Why the times that are being chosen do not fit. */
export function Warning({ text }: { text: string | undefined }) {
  return text === undefined ? null : <>▲ {text}</>;
}
