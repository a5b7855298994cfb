/** A sentence of the server, which speaks English. In another language the page says it, and the sentence itself can be opened. */
import type { ComponentChildren } from 'preact';
import { language, words } from '../../i18n/words.ts';

interface ServerTextProps {
  text: string;
  /** The words of the page for it; left out: what stands beside it says enough. */
  own?: ComponentChildren;
}

export function ServerText({ text, own }: ServerTextProps) {
  if (language.value === 'en' || text === '') return <>{text || own}</>;
  return (
    <>
      {own}
      {own !== undefined && ' '}
      <details class="server-text">
        <summary>{words.value.ui.details}</summary>
        <span lang="en">{text}</span>
      </details>
    </>
  );
}
