/** Figures of a stream: source and its rates, and the line of the last minute. Each second writes texts and one path. */
import { useComputed } from '@preact/signals';
import { PACKAGED_TYPES } from '../../../gen/types.ts';
import type { StreamView } from '../../../live/streams.ts';
import { Icon } from '../../../ui/show/icon.tsx';
import { sparkPath } from '../../../ui/show/spark-path.ts';
import { words } from '../words.ts';
import { channelNames } from './channel-names.ts';

const [WIDTH, HEIGHT, SECONDS] = [60, 16, 60];

export function Figures({ view }: { view: StreamView }) {
  const rates = useComputed(() => {
    const w = words.value.tile;
    const present = view.rates.value;
    if (present === undefined) return '';
    const out = present.encodings.reduce((sum, row) => sum + row[2], 0);
    const megabits = (present.kbps > 0 ? present.kbps : out) / 1000;
    return w.rates(String(Math.round(present.fps)), w.megabits(megabits.toFixed(1)));
  });
  const line = useComputed(() => {
    if (view.rates.value === undefined) return '';
    const isSource = view.rates.value.kbps > 0;
    const values = view.history.last(isSource ? 'kbps' : 'outKbps', SECONDS);
    return sparkPath(values, { width: WIDTH, height: HEIGHT, capacity: SECONDS });
  });
  return (
    <p class="tile-figures">
      <SourceName view={view} />
      <span>{rates}</span>
      <Viewers view={view} />
      <svg class="spark" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        <path d={line} vector-effect="non-scaling-stroke" />
      </svg>
    </p>
  );
}

function SourceName({ view }: { view: StreamView }) {
  const name = useComputed(() => {
    const { runtime, source } = view.status.value;
    return channelNames.value.get(runtime.source ?? source?.channelId ?? 0) ?? '';
  });
  return <span class="tile-source">{name}</span>;
}

/** Nothing where nobody counts them: another service delivers, or its Device is of an earlier version. */
function Viewers({ view }: { view: StreamView }) {
  const { viewers, publishings } = view.status.value;
  if (viewers === null || !publishings.some(({ type }) => PACKAGED_TYPES.includes(type))) return null;
  const text = words.value.tile.viewers(viewers.now);
  return (
    <span class="tile-viewers" title={text}>
      <Icon name="users" /> <span aria-hidden="true">{viewers.now}</span>
      <span class="hidden">{text}</span>
    </span>
  );
}
