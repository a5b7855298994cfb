/** The window of a display: one wall and nothing else. Nobody is signed in at it. */
import { hasEnded } from '../display.ts';
import { words } from '../i18n/words.ts';
import { Content } from './content.tsx';

export function DisplayedWall() {
  return <main id="content">{hasEnded.value ? <p role="alert">{words.value.displayEnded}</p> : <Content />}</main>;
}
