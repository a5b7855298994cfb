/** The page Walls: what monitors show, for everybody, and the links of displays. */
import type { RowOf } from '../../api/operation-types.ts';
import { can } from '../../api/can.ts';
import { fieldLabel } from '../../i18n/field-labels.ts';
import { MembersField } from '../../resource/members-field.tsx';
import { ResourcePage, defineResource } from '../../resource/resource-page.tsx';
import { hrefOf } from '../../route.ts';
import type { FieldView } from '../../ui/form/form-context.ts';
import { DisplayLinks } from './display-links.tsx';
import { words } from './words.ts';

type Wall = RowOf<'getAllWalls'>;

function Streams(view: FieldView) {
  return <MembersField view={view} of={{ list: 'getAllLivestreams' }} />;
}

function showsText({ livestreamIds, tags, others }: Wall): string {
  const w = words.value;
  return [
    livestreamIds.length > 0 && w.named(livestreamIds.length),
    tags.length > 0 && w.tagged(tags.join(', ')),
    others && w.others,
  ]
    .filter((text) => text !== false)
    .join(', ');
}

function walls() {
  const w = words.value;
  return defineResource({
    list: 'getAllWalls',
    add: 'addWall',
    update: 'updateWall',
    remove: 'deleteWall',
    idParam: 'wallId',
    nameOf: ({ name }) => name,
    words: () => ({ table: w.title, add: w.add, empty: w.empty }),
    sort: { by: 'name', order: 'asc' },
    columns: () => [
      { id: 'name', label: fieldLabel('name'), cell: ({ name }) => name, sortBy: 'name' },
      { id: 'layout', label: w.fields.layout, cell: ({ layout }) => w.layouts[layout], sortBy: 'layout' },
      { id: 'shows', label: w.shows, cell: showsText, isMinor: true },
    ],
    acts: ({ id, name }) => (
      <a class="button button-quiet" href={hrefOf('wall', id)} aria-label={w.showOf(name)}>
        {w.show}
      </a>
    ),
    ...(can('listDisplayLinks') && { drawer: (row: Wall) => <DisplayLinks key={row.id} wall={row} /> }),
    deleteEffect: ({ name }) => w.deleteEffect(name),
    layout: {
      order: ['name', 'layout', 'livestreamIds', 'tags', 'others'],
      labels: w.fields,
      choices: { layout: w.layouts },
      controls: { livestreamIds: Streams },
    },
  });
}

export default function Walls() {
  const w = words.value;
  return (
    <>
      <h1>{w.title}</h1>
      <p class="soft">{w.about}</p>
      <ResourcePage of={walls()} />
    </>
  );
}
