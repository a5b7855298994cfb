/** The page Recordings: the list, or the one that the route names. */
import { route } from '../../route.ts';
import { RecordingList } from './list/recording-list.tsx';
import { Opened } from './opened/opened.tsx';
import { words } from './words.ts';

export default function Recordings() {
  const { id } = route.value;
  return (
    <>
      <h1>{words.value.title}</h1>
      {id === undefined ? <RecordingList /> : <Opened key={id} id={id} />}
    </>
  );
}
