/** The page Destinations. */
import { words } from './words.ts';

export default function Destinations() {
  return <h1>{words.value.title}</h1>;
}
