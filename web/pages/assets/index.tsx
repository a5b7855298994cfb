/** The page Assets. */
import { words } from './words.ts';

export default function Assets() {
  return <h1>{words.value.title}</h1>;
}
