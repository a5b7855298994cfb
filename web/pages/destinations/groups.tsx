/** The tab of groups: Destinations that go out together. */
import type { RowOf } from '../../api/operation-types.ts';
import { useList } from '../../api/reads.ts';
import { fieldLabel } from '../../i18n/field-labels.ts';
import { groupColumns } from '../../resource/group-columns.ts';
import { MembersField } from '../../resource/members-field.tsx';
import { ResourcePage, defineResource } from '../../resource/resource-page.tsx';
import { UsedBy } from '../../resource/used-by.tsx';
import { Facts } from '../../ui/show/facts.tsx';
import { PathStates, type Destination } from './paths.tsx';
import { words } from './words.ts';

const MAX_ROWS = 500;

function groups(known: ReadonlyMap<number, Destination>) {
  const w = words.value;
  const membersOf = (ids: readonly number[]): Destination[] => ids.flatMap((id) => known.get(id) ?? []);
  return defineResource({
    list: 'getAllPublishingGroups',
    add: 'addPublishingGroup',
    update: 'updatePublishingGroup',
    remove: 'deletePublishingGroup',
    idParam: 'groupId',
    sort: { by: 'name', order: 'asc' },
    nameOf: (row) => row.name,
    words: () => ({ table: w.groupsTitle, add: w.addGroup, empty: w.emptyGroups }),
    columns: () => groupColumns<RowOf<'getAllPublishingGroups'>>(w.members, (row) => membersOf(row.elements)),
    drawer: (row) => (
      <>
        <ol class="ladder" aria-label={w.members}>
          {membersOf(row.elements).map((member) => (
            <li key={member.id}>
              <span class="member-name">{member.name}</span> <span class="soft">{w.types[member.type]}</span>
              <PathStates id={member.id} side="primary" />
            </li>
          ))}
        </ol>
        <Facts of={[[fieldLabel('description'), row.description]]} />
        <UsedBy filter={{ publishingGroupId: row.id }} />
      </>
    ),
    layout: {
      order: ['elements', 'description'],
      controls: {
        elements: (view) => (
          <MembersField<Destination>
            view={view}
            of={{ list: 'getAllPublishings', details: ({ type }) => <span class="soft">{w.types[type]}</span> }}
          />
        ),
      },
    },
  });
}

export function Groups() {
  const { rows } = useList('getAllPublishings', { pageSize: MAX_ROWS });
  return <ResourcePage of={groups(new Map(rows.map((row) => [row.id, row])))} />;
}
