/** The page Encodings. */
import { words } from './words.ts';

export default function Encodings() {
  return <h1>{words.value.title}</h1>;
}
