/** The page System. */
import { words } from './words.ts';

export default function System() {
  return <h1>{words.value.title}</h1>;
}
