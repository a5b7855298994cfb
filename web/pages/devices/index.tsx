/** The page Devices. */
import { words } from './words.ts';

export default function Devices() {
  return <h1>{words.value.title}</h1>;
}
