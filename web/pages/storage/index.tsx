/** The page Storage. */
import { words } from './words.ts';

export default function Storage() {
  return <h1>{words.value.title}</h1>;
}
