/** The tab of groups: ladders of several Encodings of one pipeline. */
import { useList } from '../../api/reads.ts';
import type { RowOf } from '../../api/operation-types.ts';
import { fieldLabel } from '../../i18n/field-labels.ts';
import { groupColumns } from '../../resource/group-columns.ts';
import { MembersField } from '../../resource/members-field.tsx';
import { ResourcePage, defineResource } from '../../resource/resource-page.tsx';
import { UsedBy } from '../../resource/used-by.tsx';
import { Facts } from '../../ui/show/facts.tsx';
import { ExpectedCores } from './cores.tsx';
import { bitrateOf, inOrder, type Encoding } from './encoding-text.ts';
import { Ladder, RungBar, TotalBitrate } from './ladder.tsx';
import { words } from './words.ts';

type Group = RowOf<'getAllEncodingGroups'>;
/** A group has at most as many members as a list of the server has rows. */
const MAX_ROWS = 500;

function groups(known: ReadonlyMap<number, Encoding>) {
  const w = words.value;
  const max = Math.max(...[...known.values()].map(bitrateOf), 1);
  return defineResource({
    list: 'getAllEncodingGroups',
    add: 'addEncodingGroup',
    update: 'updateEncodingGroup',
    remove: 'deleteEncodingGroup',
    idParam: 'groupId',
    sort: { by: 'name', order: 'asc' },
    nameOf: (row) => row.name,
    words: () => ({ table: w.groupsTitle, add: w.addGroup, empty: w.emptyGroups }),
    columns: () => [
      ...groupColumns<Group>(w.members, (row) => membersOf(row, known)),
      { id: 'order', label: w.order, cell: (row) => w.orders[row.quality_order], isMinor: true },
      { id: 'pipeline', label: w.pipeline, cell: (row) => row.pipeline ?? '–', isMinor: true },
    ],
    drawer: (row) => <GroupDetails row={row} known={known} />,
    layout: {
      order: ['elements', 'quality_order', 'description'],
      radios: ['quality_order'],
      choices: { quality_order: w.orders },
      controls: {
        elements: (view) => (
          <MembersField<Encoding>
            view={view}
            of={{
              list: 'getAllEncodings',
              details: (rung) => <RungBar rung={rung} max={max} />,
              refusal: ({ pipeline }, first) =>
                first === undefined || first.pipeline === pipeline ? undefined : w.otherPipeline(pipeline),
              foot: (rungs) => <TotalBitrate rungs={rungs} />,
            }}
          />
        ),
      },
    },
  });
}

function membersOf({ elements, quality_order: order }: Group, known: ReadonlyMap<number, Encoding>): Encoding[] {
  return inOrder(
    elements.flatMap((id) => known.get(id) ?? []),
    order,
  );
}

export function Groups() {
  const { rows } = useList('getAllEncodings', { pageSize: MAX_ROWS });
  return <ResourcePage of={groups(new Map(rows.map((row) => [row.id, row])))} />;
}

function GroupDetails({ row, known }: { row: Group; known: ReadonlyMap<number, Encoding> }) {
  const w = words.value;
  return (
    <>
      <Ladder rungs={membersOf(row, known)} />
      <Facts
        of={[
          [w.order, w.orders[row.quality_order]],
          [w.pipeline, row.pipeline],
          [fieldLabel('description'), row.description],
        ]}
      />
      <p class="soft">{w.pipelineHint}</p>
      <ExpectedCores filter={{ encodingGroupId: row.id }} />
      <UsedBy filter={{ encodingGroupId: row.id }} />
    </>
  );
}
