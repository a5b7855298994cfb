/** The lists of types in docs/manual.md, from the rows of the types; the rest of the page is written by people. */
import { CHANNEL_ROWS, CHANNEL_TYPES } from '../domain/types/channel-types.ts';
import { DESTINATION_ROWS, PUBLISHING_TYPES } from '../domain/types/destination-types.ts';

const LISTS: Readonly<Record<string, () => string[]>> = {
  Channel: () =>
    CHANNEL_TYPES.map((type) => {
      const { manual, example } = CHANNEL_ROWS[type];
      return `- \`${type}\`: ${manual}. \`${JSON.stringify(example)}\``;
    }),
  Destination: () =>
    PUBLISHING_TYPES.map((type) => {
      const { manual, example } = DESTINATION_ROWS[type];
      const settings = Object.keys(example).length === 0 ? '' : ` \`${JSON.stringify(example)}\``;
      return `- \`${type}\`: ${manual}.${settings}`;
    }),
};

/** Each list stands between two comments: `<!-- types of Channel, by npm run gen -->` and `<!-- end -->`. */
export function manualDocument(present: string): string {
  return Object.entries(LISTS).reduce((text, [kind, list]) => {
    const begin = `<!-- types of ${kind}, by npm run gen -->\n`;
    const at = text.indexOf(begin);
    const end = text.indexOf('<!-- end -->', at);
    if (at === -1 || end === -1) throw new Error(`docs/manual.md has no place for the types of ${kind}: ${begin}`);
    return `${text.slice(0, at + begin.length)}\n${list().join('\n')}\n\n${text.slice(end)}`;
  }, present);
}
