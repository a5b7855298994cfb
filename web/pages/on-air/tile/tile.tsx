/** One Live stream on the wall. A second that changes only rates writes texts; a view is made anew when its status or health is new. */
import { useComputed } from '@preact/signals';
import { useId } from 'preact/hooks';
import { words as common } from '../../../i18n/words.ts';
import { moment } from '../../../live/clock.ts';
import { devices, isStale, type StreamView } from '../../../live/streams.ts';
import { Button } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/show/icon.tsx';
import { clockText, durationText } from '../../../zone.ts';
import { shownZone } from '../../../shown-zone.ts';
import { marks } from '../acts/broadcast.ts';
import { focusedId, openDialog } from '../acts/focus.ts';
import { busyWords, ordersOf } from '../acts/orders.ts';
import { words } from '../words.ts';
import { Company } from './company.tsx';
import { describe } from './describe.ts';
import { Destinations } from './destinations.tsx';
import { Figures } from './figures.tsx';
import { InForce } from './in-force.tsx';
import { Meters } from './meters.tsx';
import { LiveCanvas } from './live-canvas.tsx';
import { Steps } from './steps.tsx';
import { useLevels } from './use-levels.ts';

interface TileProps {
  id: number;
  view: StreamView;
  /** The wall's monitor has no acts. */
  hasActs: boolean;
}

export function Tile({ id, view, hasActs }: TileProps) {
  const describedBy = useId();
  const status = view.status.value;
  const health = view.health.value;
  const levels = useLevels(view);
  const isFocused = useComputed(() => (focusedId.value === id ? '' : undefined));
  const { name } = status;
  return (
    <article
      class="tile"
      tabIndex={0}
      aria-label={name}
      aria-describedby={describedBy}
      data-livestream={id}
      data-state={health.state}
      data-focused={isFocused}
    >
      <div class="tile-top">
        <LiveCanvas
          id={id}
          name={name}
          isOn={status.status === 2}
          isCloud={status.status === 2 && status.deviceId === null}
          onLevels={levels.onLevels}
        />
        <Meters levels={levels.levels} />
        <InForce view={view} />
      </div>
      <div class="tile-head">
        <h2>{name}</h2>
        {status.scheduleId !== null && (
          <span class="tile-clock" title={words.value.tile.scheduled}>
            <Icon name="calendar-clock" />
            <span class="hidden">{words.value.tile.scheduled}</span>
          </span>
        )}
        <UpTime view={view} />
      </div>
      <p id={describedBy} class="tile-line state" data-state={health.state}>
        <span>{describe(health)}</span>
      </p>
      {status.status === 1 ? <Steps status={status} /> : <Figures view={view} />}
      <div class="tile-foot">
        <Destinations publishings={status.publishings} />
        <Place key={`${status.deviceId} ${status.slot}`} deviceId={status.deviceId} slot={status.slot} />
      </div>
      <div class="tile-news">
        <Company view={view} id={id} />
        <Orders id={id} />
      </div>
      {hasActs && (
        <span class="tile-acts">
          <Button
            label={words.value.tile.acts(name)}
            icon="ellipsis"
            kind="quiet"
            onPress={() => openDialog({ kind: 'sheet', id })}
          >
            <span class="hidden">{words.value.tile.acts(name)}</span>
          </Button>
        </span>
      )}
    </article>
  );
}

function UpTime({ view }: { view: StreamView }) {
  const text = useComputed(() => {
    const { status, since, uptime_seconds } = view.status.value;
    // Whether it still runs is not known.
    if (isStale.value) return '–';
    if (since === null || status !== 2) return durationText(uptime_seconds);
    return durationText((moment.value - Date.parse(since)) / 1000);
  });
  return (
    <span class="tile-time" role="timer" aria-label={common.value.upTime}>
      {text}
    </span>
  );
}

function Place({ deviceId, slot }: { deviceId: number | null; slot: number | null }) {
  const text = useComputed(() => {
    const device = deviceId === null ? undefined : devices.value.get(deviceId);
    return device === undefined ? '' : words.value.tile.place(device.name, slot);
  });
  return <span class="tile-place">{text}</span>;
}

/** The orders of this window, which the toolbar shows too: eyes are on the picture. */
function Orders({ id }: { id: number }) {
  const w = words.value;
  const busy = ordersOf(id)
    .map(({ control }) => busyWords(id, control, w.acts.unconfirmed))
    .filter((each) => each !== undefined);
  const markedAt = marks.value.get(id);
  if (markedAt === undefined && busy.length === 0) return null;
  return (
    <p class="tile-order">
      {busy.join(' · ')} {markedAt !== undefined && w.tile.mark(clockText(markedAt, shownZone.value))}
    </p>
  );
}
