/** Load, slots and Live streams of a Device, as the feed has them. */
import type { Schemas } from '../../../client/types.d.ts';
import { feed } from '../../live/streams.ts';
import type { DeviceStatus } from '../../live/status.ts';
import { MoveButton } from '../../resource/move-button.tsx';
import { StreamState } from '../../resource/used-by.tsx';
import { hrefOf } from '../../route.ts';
import { Meter } from '../../ui/show/meter.tsx';
import { words } from './words.ts';

export type Device = Schemas['Device'];

/** From here on a Device has little room for more. */
const HIGH_LOAD = 0.75;
const FULL_LOAD = 0.95;

/** The feed is newer than the row that was read. */
function liveOf(row: Device): Pick<DeviceStatus, 'online' | 'load' | 'slots'> & Partial<DeviceStatus> {
  return feed.value.devices.get(row.id) ?? row;
}

export function OnlineState({ row }: { row: Device }) {
  const w = words.value;
  const { online } = liveOf(row);
  return (
    <>
      <span class={`marked ${online ? 'ok' : 'fault'}`}>
        <span aria-hidden="true">{online ? '●' : '✕'} </span>
        {online ? w.online : w.offline}
      </span>
      {row.refused_machine !== null && <span class="marked fault"> · {w.refusedShort}</span>}
      {!['mounted', 'unknown'].includes(row.mountstatus) && (
        <span class="marked fault"> · {w.diskShort(w.mountStates[row.mountstatus])}</span>
      )}
      {row.not_understood !== null && <span class="marked fault"> · {w.notUnderstoodShort}</span>}
      {!row.enabled && <span class="soft"> · {w.disabled}</span>}
    </>
  );
}

export function LoadBar({ row }: { row: Device }) {
  const w = words.value;
  const { load } = liveOf(row);
  const text = w.percent(load);
  return (
    <span class="bar-text">
      <Meter label={w.loadOf(row.name)} value={load} min={0} max={1} high={HIGH_LOAD} over={FULL_LOAD} text={text} />{' '}
      {text}
    </span>
  );
}

export function SlotsBar({ row }: { row: Device }) {
  const w = words.value;
  const { used, total } = liveOf(row).slots;
  const text = w.slotsText(used, total);
  return (
    <span class="bar-text">
      <Meter label={w.slotsOf(row.name)} value={used} min={0} max={Math.max(total, 1)} text={text} /> {text}
    </span>
  );
}

export function Running({ row }: { row: Device }) {
  const w = words.value;
  const streams = liveOf(row).livestreams ?? [];
  if (streams.length === 0) return <span class="soft">–</span>;
  return (
    <ul class="plain-list">
      {streams.map(({ livestreamId, name, slot }) => (
        <li key={livestreamId}>
          <a href={hrefOf('live-streams', livestreamId)}>{name}</a> <span class="soft">{w.slot(slot)}</span>{' '}
          <StreamState id={livestreamId} /> <MoveButton livestreamId={livestreamId} name={name} deviceId={row.id} />
        </li>
      ))}
    </ul>
  );
}

export function LastSeen({ row }: { row: Device }) {
  const w = words.value;
  return <>{liveOf(row).online ? w.seenNow : w.seenNot}</>;
}
