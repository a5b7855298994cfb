/** The page Recordings. */
import { words } from './words.ts';

export default function Recordings() {
  return <h1>{words.value.title}</h1>;
}
