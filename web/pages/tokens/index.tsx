/** The page Tokens. */
import { words } from './words.ts';

export default function Tokens() {
  return <h1>{words.value.title}</h1>;
}
