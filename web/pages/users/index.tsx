/** The page Users. */
import { words } from './words.ts';

export default function Users() {
  return <h1>{words.value.title}</h1>;
}
