/** A text that may be long: its beginning, which opens to all of it. */

const SHORT = 60;

export function LongText({ text }: { text: string }) {
  if (text.length <= SHORT) return <>{text}</>;
  return (
    <details class="long-text">
      <summary>{text.slice(0, SHORT - 2).trimEnd()} …</summary>
      {text}
    </details>
  );
}
