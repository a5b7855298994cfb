/** A list without rows: one sentence, and the next step as one button or link. */
import type { ComponentChildren } from 'preact';

export function Empty({ text, children }: { text: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p>{text}</p>
      {children}
    </div>
  );
}
