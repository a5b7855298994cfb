/** A tile of a saved wall: the picture fills it, and what must be read from afar stands below it. */
import { useComputed } from '@preact/signals';
import { useId } from 'preact/hooks';
import { words as common } from '../../../i18n/words.ts';
import { moment } from '../../../live/clock.ts';
import { isStale, type StreamView } from '../../../live/streams.ts';
import { durationText } from '../../../zone.ts';
import { describe } from '../tile/describe.ts';
import { InForce } from '../tile/in-force.tsx';
import { LiveCanvas } from '../tile/live-canvas.tsx';
import { Meters } from '../tile/meters.tsx';
import { useLevels } from '../tile/use-levels.ts';

export function ScreenTile({ id, view }: { id: number; view: StreamView }) {
  const describedBy = useId();
  const { name, status, deviceId } = view.status.value;
  const health = view.health.value;
  const levels = useLevels(view);
  const upTime = useComputed(() => {
    const { since } = view.status.value;
    if (isStale.value || since === null) return '–';
    return durationText((moment.value - Date.parse(since)) / 1000);
  });
  return (
    <article
      class="screen-tile"
      aria-label={name}
      aria-describedby={describedBy}
      data-livestream={id}
      data-state={health.state}
    >
      <div class="screen-top">
        <LiveCanvas
          id={id}
          name={name}
          isOn={status === 2}
          isCloud={status === 2 && deviceId === null}
          onLevels={levels.onLevels}
        />
        <Meters levels={levels.levels} />
        <InForce view={view} />
      </div>
      <div class="screen-foot">
        <h2>{name}</h2>
        {status === 2 && (
          <span role="timer" aria-label={common.value.upTime}>
            {upTime}
          </span>
        )}
        <p id={describedBy} class="state" data-state={health.state}>
          {describe(health)}
        </p>
      </div>
    </article>
  );
}
