/** The page Audit. */
import { words } from './words.ts';

export default function Audit() {
  return <h1>{words.value.title}</h1>;
}
