/** The two paths of a Destination: where each goes, and its state where it is on air, as the feed has it. */
import type { Schemas } from '../../../client/types.d.ts';
import { words as common } from '../../i18n/words.ts';
import { moment } from '../../live/clock.ts';
import type { Path } from '../../live/status.ts';
import { feed, pathStateOf } from '../../live/streams.ts';
import { hrefOf } from '../../route.ts';
import { Cause } from '../../ui/show/cause.tsx';
import { useOf } from './types.ts';
import { words } from './words.ts';

export type Destination = Schemas['Publishing'];
type Side = 'primary' | 'backup';

const CLASSES = {
  idle: 'soft',
  connecting: 'soft',
  up: 'ok',
  retrying: 'warn',
  failed: 'fault',
  fenced: 'fault',
  off: 'soft',
  unknown: 'soft',
};
const MARKS = { idle: '○', connecting: '◌', up: '●', retrying: '▲', failed: '✕', fenced: '■', off: '–', unknown: '?' };

/** Undefined: there is no such path. */
function placeOf(row: Destination, side: Side): string | undefined {
  const w = words.value;
  const { type, settings } = row;
  const use = useOf(type);
  if (use === 'record') return side === 'primary' ? w.file(w.containers[settings.container]) : undefined;
  if (use === 'device') return side === 'primary' ? w.sdi : undefined;
  if (side === 'backup') return settings.backup_url ?? undefined;
  return settings.url ?? w.served;
}

export function PathCell({ row, side }: { row: Destination; side: Side }) {
  const w = words.value;
  const place = placeOf(row, side);
  const isOn = side === 'primary' ? row.primary_enabled : row.backup_enabled;
  if (place === undefined && !isOn) return <span class="soft">{w.none}</span>;
  return (
    <div class="path">
      <span class="address">{place ?? w.none}</span>
      {!isOn && <span class="soft"> ({w.off})</span>}
      <PathStates id={row.id} side={side} />
    </div>
  );
}

function pathsOnAir(id: number, side: Side): { livestreamId: number; name: string; path: Path }[] {
  return [...feed.value.streams.values()].flatMap(({ status }) => {
    const path = status.status > 0 && status.publishings.find(({ publishingId }) => publishingId === id)?.[side];
    return path ? [{ livestreamId: status.livestreamId, name: status.name, path }] : [];
  });
}

export function PathStates({ id, side }: { id: number; side: Side }) {
  const paths = pathsOnAir(id, side);
  if (paths.length === 0) return null;
  return (
    <ul class="plain-list">
      {paths.map(({ livestreamId, name, path }) => (
        <li key={livestreamId}>
          <a href={hrefOf('live-streams', livestreamId)}>{name}</a> <PathState path={path} />
        </li>
      ))}
    </ul>
  );
}

function PathState({ path }: { path: Path }) {
  const w = words.value;
  const state = pathStateOf(path);
  const wait =
    path.next_retry_at === null ? undefined : Math.ceil((Date.parse(path.next_retry_at) - moment.value) / 1000);
  const more = [
    state === 'retrying' && w.attempts(path.attempts),
    state === 'retrying' && wait !== undefined && wait > 0 && w.nextIn(wait),
  ].filter(Boolean);
  const isWrong = state === 'retrying' || state === 'failed' || state === 'fenced';
  return (
    <>
      <span class={CLASSES[state]}>
        <span aria-hidden="true">{MARKS[state]} </span>
        {common.value.pathStates[state]}
      </span>
      {more.length > 0 && <span class="soft"> {more.join(' · ')}</span>}
      {isWrong && path.last_error !== null && (
        <span class="soft">
          {' '}
          <Cause folds text={path.last_error} />
        </span>
      )}
    </>
  );
}
