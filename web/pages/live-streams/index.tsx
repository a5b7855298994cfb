/** The page Live streams. */
import { words } from './words.ts';

export default function LiveStreams() {
  return <h1>{words.value.title}</h1>;
}
