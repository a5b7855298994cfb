/** Cells that follow the feed: the state of a Live stream, where it runs, since when or from when. */
import { words as shared } from '../../../i18n/words.ts';
import { moment } from '../../../live/clock.ts';
import { secondsLeft, startSteps } from '../../../live/start-steps.ts';
import { feed, isStale } from '../../../live/streams.ts';
import { Icon } from '../../../ui/show/icon.tsx';
import { Cause } from '../../../ui/show/cause.tsx';
import { Time } from '../../../ui/show/time.tsx';
import { durationText } from '../../../zone.ts';
import { words } from '../words.ts';
import { liveStatus, stateOf, statusOf } from './live-status.ts';
import { whereText, type Parts, type StreamRow } from './parts.ts';

export function StateCell({ row }: { row: StreamRow }) {
  const w = words.value;
  const state = stateOf(row);
  const word = shared.value.states[state];
  return (
    <>
      <span class="state" data-state={state}>
        {state === 'unknown' ? word : state === 'off' ? w.off : w.liveWith(word)}
      </span>
      {!row.enabled && <small class="soft"> {w.disabled}</small>}
      {state !== 'unknown' && statusOf(row) === 1 && <Steps id={row.id} name={row.name} />}
    </>
  );
}

function Steps({ id, name }: { id: number; name: string }) {
  const status = liveStatus(id);
  if (status === undefined) return null;
  const w = words.value;
  const left = secondsLeft(status.since, moment.value);
  return (
    <div class="start-steps">
      <ul aria-label={w.steps(name)}>
        {startSteps(status).map(({ step, state }) => (
          <li key={step} data-step={state}>
            {w.stepNames[step]}: {w.stepStates[state]}
          </li>
        ))}
      </ul>
      {left !== undefined && <small class="soft">{w.bound(left)}</small>}
    </div>
  );
}

export function WhereCell({ row, parts }: { row: StreamRow; parts: Parts }) {
  const status = liveStatus(row.id);
  if (status === undefined || status.status === 0 || status.deviceId === null) return <>{whereText(parts, row)}</>;
  const device =
    parts.devices.get(status.deviceId)?.name ?? feed.value.devices.get(status.deviceId)?.name ?? `${status.deviceId}`;
  return <>{status.slot === null ? device : words.value.slot(device, status.slot)}</>;
}

/** Up-time of what is on air, why and since when of what has failed, the next start of what is off. */
export function WhenCell({ row, next }: { row: StreamRow; next: string | undefined }) {
  const status = liveStatus(row.id);
  const w = words.value;
  const entered = status?.since ?? row.started_at;
  if (isStale.value) return null;
  const seconds = entered === null ? undefined : (moment.value - Date.parse(entered)) / 1000;
  switch (statusOf(row)) {
    case 2:
      return <span>{durationText(seconds ?? status?.uptime_seconds ?? 0)}</span>;
    case 1:
      return null;
    case 3:
      return (
        <span class="failure">
          <Cause folds text={status?.errorstatus ?? row.errorstatus ?? ''} />
          {seconds !== undefined && status !== undefined && <small> {w.ago(durationText(seconds))}</small>}
        </span>
      );
    default:
      if (next === undefined) return <span class="soft">–</span>;
      return (
        <span class="next-start">
          <Icon name="calendar-clock" />
          <Time at={next} show="near" now={moment.peek()} /> <span class="hidden">{w.bySchedule}</span>
        </span>
      );
  }
}
