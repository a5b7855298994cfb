/** The page of a monitor: the wall of this browser, or a saved one that fills the screen. */
import { route } from '../../route.ts';
import OnAir from './index.tsx';
import { SavedWall } from './saved/saved-wall.tsx';

export default function Monitor() {
  const { id } = route.value;
  return id === undefined ? <OnAir /> : <SavedWall key={id} wallId={id} />;
}
