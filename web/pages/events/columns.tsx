/** The columns of the events: what, since when, until when, for how long, and who knows of it. */
import { useComputed } from '@preact/signals';
import { can } from '../../api/can.ts';
import { moment } from '../../live/clock.ts';
import { hrefOf } from '../../route.ts';
import { Button } from '../../ui/button.tsx';
import { ServerText } from '../../ui/show/server-text.tsx';
import { Time } from '../../ui/show/time.tsx';
import type { Column } from '../../ui/table.tsx';
import { durationText } from '../../zone.ts';
import { acknowledge, isSending } from './acknowledge.ts';
import type { Incident } from './pairs.ts';
import { words } from './words.ts';

type NameOf = (livestreamId: number | null) => string;

export function columns(nameOf: NameOf): Column<Incident>[] {
  const w = words.value;
  return [
    { id: 'what', label: w.what, cell: (incident) => <What of={incident} name={nameOf(incident.livestreamId)} /> },
    { id: 'set', label: w.set, cell: ({ setAt }) => <Time at={setAt} show="near" now={moment.peek()} /> },
    {
      id: 'cleared',
      label: w.cleared,
      cell: ({ setAt, clearedAt }) =>
        clearedAt === undefined ? (
          <strong class="warn">{w.open}</strong>
        ) : clearedAt === setAt ? (
          <span class="soft">–</span>
        ) : (
          <Time at={clearedAt} show="near" now={moment.peek()} />
        ),
    },
    { id: 'lasted', label: w.lasted, cell: (incident) => <Lasted of={incident} /> },
    { id: 'known', label: w.known, cell: (incident) => <Known of={incident} name={nameOf(incident.livestreamId)} /> },
  ];
}

function What({ of: { livestreamId, kind, severity, message }, name }: { of: Incident; name: string }) {
  const w = words.value;
  return (
    <span class="event-what">
      <span class={severity === 'error' ? 'fault' : 'warn'}>
        <span aria-hidden="true">{severity === 'error' ? '✕' : '▲'}</span> {w.kinds[kind]}
      </span>
      {' · '}
      {livestreamId === null ? name : <a href={hrefOf('live-streams', livestreamId)}>{name}</a>}
      <span class="soft event-message">
        <ServerText text={message} own="" />
      </span>
    </span>
  );
}

function Lasted({ of: { setAt, clearedAt } }: { of: Incident }) {
  const text = useComputed(() => durationText(Math.max(0, (clearedAt ?? moment.value) - setAt) / 1000));
  return clearedAt === setAt ? <span class="soft">–</span> : <span>{text}</span>;
}

function Known({ of: incident, name }: { of: Incident; name: string }) {
  const w = words.value;
  const { knownBy, clearedAt, kind } = incident;
  if (knownBy !== undefined) return <span>{w.knownBy(knownBy.by, knownBy.note)}</span>;
  if (clearedAt !== undefined || !can('acknowledgeEvent')) return <span class="soft">–</span>;
  return (
    <Button
      kind="quiet"
      label={w.acknowledgeOf(w.kinds[kind], name)}
      busy={isSending(incident) && '…'}
      onPress={() => acknowledge(incident)}
    >
      {w.acknowledge}
    </Button>
  );
}
