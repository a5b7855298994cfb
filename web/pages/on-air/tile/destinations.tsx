/** The Destinations of a stream: a mark for each path, and when one that is down is tried again. */
import { useComputed } from '@preact/signals';
import { words as common } from '../../../i18n/words.ts';
import { moment } from '../../../live/clock.ts';
import type { Path, Publishing } from '../../../live/status.ts';
import { pathStateOf } from '../../../live/streams.ts';
import { words } from '../words.ts';

const MARKS = { idle: '–', connecting: '◌', up: '●', retrying: '▲', failed: '✕', fenced: '■', off: '–', unknown: '?' };
export const LOOKS = {
  idle: 'soft',
  connecting: 'soft',
  up: 'ok',
  retrying: 'warn',
  failed: 'fault',
  fenced: 'fault',
  off: 'soft',
  unknown: 'soft',
};

export function Destinations({ publishings }: { publishings: readonly Publishing[] }) {
  return (
    <ul class="tile-paths" aria-label={common.value.destinations}>
      {publishings.map(({ publishingId, name, primary, backup }) => [
        // A line may end here.
        ' ',
        <PathItem key={`${publishingId} primary`} name={name} kind="primary" path={primary} />,
        backup !== null && <PathItem key={`${publishingId} backup`} name={name} kind="backup" path={backup} />,
      ])}
    </ul>
  );
}

function PathItem({ name, kind, path }: { name: string; kind: 'primary' | 'backup'; path: Path }) {
  const state = pathStateOf(path);
  const w = common.value;
  return (
    <li class={LOOKS[state]} data-kind={kind}>
      <span aria-hidden="true">
        {/* Drawn by the style: the text of the item is its words alone. */}
        {kind === 'primary' && <span class="path-name" data-text={name} />}
        <span class="path-mark" data-text={MARKS[state]} />
      </span>
      <span class="hidden">{w.path(name, kind, w.pathStates[state])}</span>
      {state === 'retrying' && path.next_retry_at !== null && <Countdown at={path.next_retry_at} />}
    </li>
  );
}

export function Countdown({ at }: { at: string }) {
  const text = useComputed(() => {
    const seconds = Math.max(0, Math.ceil((Date.parse(at) - moment.value) / 1000));
    return words.value.tile.retryIn(seconds);
  });
  return <small class="countdown"> {text}</small>;
}
