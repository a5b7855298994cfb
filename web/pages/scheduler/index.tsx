/** The page Scheduler. */
import { words } from './words.ts';

export default function Scheduler() {
  return <h1>{words.value.title}</h1>;
}
