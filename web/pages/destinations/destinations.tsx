/** The tab of single Destinations. */
import { USES } from '../../gen/types.ts';
import { fieldLabel } from '../../i18n/field-labels.ts';
import { ResourcePage, defineResource } from '../../resource/resource-page.tsx';
import { DestinationDetails } from './details.tsx';
import { PathCell } from './paths.tsx';
import { useOf } from './types.ts';
import { words } from './words.ts';

function destinations() {
  const w = words.value;
  return defineResource({
    list: 'getAllPublishings',
    one: 'getPublishingById',
    add: 'addPublishing',
    update: 'updatePublishing',
    remove: 'deletePublishing',
    idParam: 'publishingId',
    page: 'destinations',
    sort: { by: 'name', order: 'asc' },
    nameOf: (row) => row.name,
    words: () => ({ table: w.title, add: w.add, empty: w.empty }),
    columns: () => [
      { id: 'name', label: fieldLabel('name'), cell: (row) => row.name, sortBy: 'name' },
      { id: 'type', label: fieldLabel('type'), cell: (row) => w.types[row.type], sortBy: 'type' },
      { id: 'use', label: w.use, cell: (row) => w.uses[useOf(row.type)], isMinor: true },
      { id: 'primary', label: w.primary, cell: (row) => <PathCell row={row} side="primary" /> },
      { id: 'backup', label: w.backup, cell: (row) => <PathCell row={row} side="backup" />, isMinor: true },
    ],
    drawer: (row) => <DestinationDetails row={row} />,
    layout: {
      order: [
        'settings',
        'settings.url',
        'settings.stream_key',
        'settings.backup_url',
        'primary_enabled',
        'backup_enabled',
        'access',
        'drm',
        'description',
      ],
      advanced: [
        'asset_id',
        'retry',
        'settings.segment_duration',
        'settings.playlist_length',
        'settings.time_shift_buffer_depth',
        'settings.low_latency',
        'settings.rist',
      ],
      groups: {
        type: (['viewers', 'platforms', 'device', 'record'] as const).map((use) => ({
          label: w.uses[use],
          choices: USES[use],
        })),
      },
      choices: {
        type: w.types,
        access: w.accesses,
        'drm.encryption_mode': w.modes,
        'settings.container': w.containers,
        'settings.srt.encryption': w.encryptions,
      },
      labels: {
        'drm.encryption_mode': fieldLabel('encryption_mode'),
        'drm.rotation_minutes': fieldLabel('rotation_minutes'),
      },
    },
  });
}

export function Destinations() {
  return <ResourcePage of={destinations()} />;
}
