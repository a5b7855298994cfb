/** The page Integrations. */
import { words } from './words.ts';

export default function Integrations() {
  return <h1>{words.value.title}</h1>;
}
