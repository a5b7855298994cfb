/** The page Sources: where the pictures come from. */
import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { CLOUD_TYPES } from '../../gen/types.ts';
import { fieldLabel } from '../../i18n/field-labels.ts';
import { ResourcePage, defineResource } from '../../resource/resource-page.tsx';
import { addressOf, type Channel } from './address.ts';
import { SourceDetails } from './details.tsx';
import { IngestState, Signals, streamsFrom } from '../../resource/channel/signal.tsx';
import { words } from '../../resource/channel/words.ts';

function sources() {
  const w = words.value;
  return defineResource({
    list: 'getAllChannels',
    one: 'getChannelById',
    add: 'addChannel',
    update: 'updateChannel',
    remove: 'deleteChannel',
    idParam: 'channelId',
    page: 'sources',
    sort: { by: 'name', order: 'asc' },
    nameOf: (row) => row.name,
    words: () => ({ table: w.title, add: w.add, empty: w.empty }),
    columns: () => [
      { id: 'name', label: fieldLabel('name'), cell: (row) => row.name, sortBy: 'name' },
      { id: 'type', label: fieldLabel('type'), cell: (row) => w.types[row.type], sortBy: 'type' },
      { id: 'from', label: w.from, cell: (row) => <span class="address">{addressOf(row, w)}</span>, isMinor: true },
      { id: 'signal', label: w.signal, cell: (row) => <Signal row={row} /> },
    ],
    drawer: (row) => <SourceDetails row={row} />,
    layout: {
      order: ['settings', 'description', 'settings.url', 'settings.mode', 'settings.host', 'settings.port'],
      advanced: [
        'alias',
        'settings.transport',
        'settings.program',
        'settings.audiotrack',
        'settings.latency_ms',
        'settings.rist',
      ],
      groups: { type: [{ label: w.cloudGroup, choices: CLOUD_TYPES }] },
      radios: ['settings.mode', 'settings.discovery'],
      choices: {
        type: w.types,
        'settings.mode': w.modes,
        'settings.transport': w.transports,
        'settings.discovery': w.discoveries,
        'settings.encryption': w.encryptions,
      },
      pickers: { 'settings.filename': { list: 'listAssets', params: { fileType: 'files' }, value: 'filename' } },
    },
  });
}

function Signal({ row: { id, ingest } }: { row: Channel }) {
  if (ingest === null && streamsFrom(id).length === 0) return <span class="soft">–</span>;
  return (
    <>
      {ingest !== null && <IngestState state={ingest.state} />}
      <Signals channelId={id} />
    </>
  );
}

export default function Sources() {
  const type = useSignal<Channel['type'] | undefined>(undefined);
  return (
    <>
      <h1>{words.value.title}</h1>
      <ResourcePage
        of={sources()}
        {...(type.value !== undefined && { params: { type: type.value } })}
        bar={<TypeFilter type={type.value} onType={(next) => (type.value = next)} />}
      />
    </>
  );
}

interface FilterProps {
  type: Channel['type'] | undefined;
  onType: (type: Channel['type'] | undefined) => void;
}

function TypeFilter({ type, onType }: FilterProps) {
  const id = useId();
  const w = words.value;
  return (
    <span class="bar-field">
      <label for={id}>{w.typeFilter}</label>
      <select
        id={id}
        value={type ?? ''}
        onChange={({ currentTarget }) => onType((currentTarget.value || undefined) as Channel['type'] | undefined)}
      >
        <option value="">{w.allTypes}</option>
        {Object.entries(w.types).map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </select>
    </span>
  );
}
