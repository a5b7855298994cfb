/** The tab of groups: pools of Devices of one type. */
import type { RowOf } from '../../api/operation-types.ts';
import { useList } from '../../api/reads.ts';
import { fieldLabel } from '../../i18n/field-labels.ts';
import { groupColumns } from '../../resource/group-columns.ts';
import { MembersField } from '../../resource/members-field.tsx';
import { ResourcePage, defineResource } from '../../resource/resource-page.tsx';
import { UsedBy } from '../../resource/used-by.tsx';
import { Facts } from '../../ui/show/facts.tsx';
import { LoadBar, OnlineState, SlotsBar, type Device } from './live.tsx';
import { words } from './words.ts';

const MAX_ROWS = 500;

function groups(known: ReadonlyMap<number, Device>) {
  const w = words.value;
  const membersOf = (ids: readonly number[]): Device[] => ids.flatMap((id) => known.get(id) ?? []);
  return defineResource({
    list: 'getAllDeviceGroups',
    add: 'createDeviceGroup',
    update: 'updateDeviceGroup',
    remove: 'deleteDeviceGroup',
    idParam: 'groupId',
    sort: { by: 'name', order: 'asc' },
    nameOf: (row) => row.name,
    words: () => ({ table: w.groupsTitle, add: w.addGroup, empty: w.emptyGroups }),
    columns: () => groupColumns<RowOf<'getAllDeviceGroups'>>(w.members, (row) => membersOf(row.devices)),
    drawer: (row) => (
      <>
        <ol class="ladder" aria-label={w.members}>
          {membersOf(row.devices).map((member) => (
            <li key={member.id}>
              <span class="member-name">{member.name}</span> <OnlineState row={member} />
              <LoadBar row={member} /> <SlotsBar row={member} />
            </li>
          ))}
        </ol>
        <Facts
          of={[
            [fieldLabel('reserve'), String(row.reserve)],
            [fieldLabel('description'), row.description],
          ]}
        />
        <UsedBy filter={{ idEncoderGroup: row.id }} />
      </>
    ),
    layout: {
      order: ['devices', 'reserve', 'description'],
      controls: {
        devices: (view) => (
          <MembersField<Device>
            view={view}
            of={{
              list: 'getAllDevices',
              details: ({ type }) => <span class="soft">{w.types[type]}</span>,
              refusal: ({ type }, first) =>
                first === undefined || first.type === type ? undefined : w.otherType(w.types[type]),
            }}
          />
        ),
      },
    },
  });
}

export function Groups() {
  const { rows } = useList('getAllDevices', { pageSize: MAX_ROWS });
  return <ResourcePage of={groups(new Map(rows.map((row) => [row.id, row])))} />;
}
