/** The table of rooms in docs/architecture.md, from the permissions that the house tests enforce. */
import { format, resolveConfig } from 'prettier';
import { OPEN_ROOMS, OTHER_PURPOSES, ROOMS } from '../test/house/rooms.ts';

const BEGIN = '<!-- rooms: written by npm run gen from test/house/rooms.ts -->';
const END = '<!-- /rooms -->';

/** The document with its table written anew; all else in it is written by hand. Throws Error where it has no place for the table. */
export async function withRoomTable(path: string, document: string): Promise<string> {
  const [begin, end] = [document.indexOf(BEGIN), document.indexOf(END)];
  if (begin === -1 || end < begin) throw new Error(`${path} has no lines ${BEGIN} and ${END}, in this order`);
  const text = `${document.slice(0, begin)}${BEGIN}\n\n${roomTable().join('\n')}\n\n${document.slice(end)}`;
  return format(text, { ...(await resolveConfig(path)), filepath: path });
}

function roomTable(): string[] {
  return [
    '| Folder | What lives there | Imports of ours | Packages and node modules of its own |',
    '|---|---|---|---|',
    ...Object.entries(ROOMS).map(([name, { purpose, rooms, outside }]) =>
      row([`${name}/`, purpose, rooms.join(', ') || 'nothing', outside.map((each) => `\`${each}\``).join(', ') || '–']),
    ),
    ...Object.entries(OTHER_PURPOSES).map(([name, purpose]) =>
      row([`${name}/`, purpose, OPEN_ROOMS.includes(name) ? 'everything' : 'nothing', '–']),
    ),
  ];
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
