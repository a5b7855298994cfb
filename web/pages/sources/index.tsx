/** The page Sources. */
import { words } from './words.ts';

export default function Sources() {
  return <h1>{words.value.title}</h1>;
}
