/** One Device in the drawer: who runs there, and what it can do. */
import { fieldLabel } from '../../i18n/field-labels.ts';
import { UsedBy } from '../../resource/used-by.tsx';
import { Facts } from '../../ui/show/facts.tsx';
import { sizeText } from '../../ui/show/size-text.ts';
import { Time } from '../../ui/show/time.tsx';
import { Drain } from './drain.tsx';
import { LastSeen, LoadBar, OnlineState, Running, SlotsBar, type Device } from './live.tsx';
import { words } from './words.ts';
import { ServerText } from '../../ui/show/server-text.tsx';

export function DeviceDetails({ row }: { row: Device }) {
  const w = words.value;
  const { channels, outputs, publishing_points: points } = row.licensed;
  const licensed = [
    channels !== null && w.channels(channels),
    outputs !== null && w.outputsCount(outputs),
    points !== null && w.points(points),
  ];
  return (
    <>
      <Refused machine={row.refused_machine} />
      <NotUnderstood now={row.not_understood} />
      <Facts
        of={[
          [w.state, <OnlineState row={row} />],
          [w.seen, <LastSeen row={row} />],
          [w.load, <LoadBar row={row} />],
          [w.slots, <SlotsBar row={row} />],
          [fieldLabel('type'), w.types[row.type]],
          [fieldLabel('ip_address'), row.ip_address],
          [fieldLabel('location'), row.location],
          [w.mount, w.mountStates[row.mountstatus]],
          ...row.storage.map((disk): [string, string] => [w.diskUses[disk.use], diskText(disk)]),
          [w.licensed, licensed.filter(Boolean).join(', ')],
          [fieldLabel('description'), row.description],
        ]}
      />
      <section>
        <h3>{w.running}</h3>
        <Running row={row} />
      </section>
      <Drain row={row} />
      <section>
        <h3>{w.capabilities}</h3>
        <Capabilities of={row.capabilities} />
      </section>
      <UsedBy filter={{ deviceId: row.id }} />
    </>
  );
}

/** A copy of the machine is a mistake of people, who have to hear which of the two is at work. */
function Refused({ machine }: { machine: Device['refused_machine'] }) {
  if (machine === null) return null;
  const { name, address, reason, since } = machine;
  const which = name === null ? address : `${name} (${address})`;
  return (
    <p class="marked fault">
      {words.value.refused[reason](which)} <Time at={since} />
    </p>
  );
}

function diskText({ status, free, total }: Device['storage'][number]): string {
  const w = words.value;
  const room = free === null || total === null ? [] : [w.diskFree(sizeText(free), sizeText(total))];
  return [w.mountStates[status], ...room].join(', ');
}

function NotUnderstood({ now }: { now: Device['not_understood'] }) {
  if (now === null) return null;
  return (
    <p class="marked fault">
      {words.value.notUnderstood} <Time at={now.since} /> <ServerText text={now.reason} />
    </p>
  );
}

function Capabilities({ of }: { of: Device['capabilities'] }) {
  const w = words.value;
  if (of === null) return <p class="soft">{w.noCapabilities}</p>;
  return (
    <>
      <Facts
        of={[
          [w.ffmpeg, of.ffmpeg_version],
          [w.video, of.video_encoders.join(', ')],
          [w.hdr, of.hdr_encoders?.join(', ')],
          [w.audio, of.audio_encoders.join(', ')],
          [w.inputs, of.inputs.join(', ')],
          [w.outputs, of.outputs.join(', ')],
          [w.encryption, of.encryption?.join(', ')],
          [w.sandbox, of.sandbox && w.sandboxes[of.sandbox]],
        ]}
      />
      {of.missing.length > 0 && (
        <>
          <h3>{w.missing}</h3>
          <ul>
            {of.missing.map(({ feature, needs }) => (
              <li key={feature}>
                {feature}: <ServerText text={needs} />
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}
