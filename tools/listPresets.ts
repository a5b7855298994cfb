import { z } from 'zod/v3';
import { PRESET_KINDS, presetOutput, type Preset } from '../domain/shapes/encodings/preset.ts';
import { PRESETS } from '../presets/presets.ts';
import { listOf, pageBody, pageFields, pageQuery, type PageInput } from '../toolkit/output/page.ts';
import { defineTool } from '../toolkit/tool.ts';

export const listPresets = defineTool({
  name: 'listPresets',
  summary: 'List the presets: ready-made ladders, and templates of Destinations with what their platforms demand.',
  description:
    'Use it to see which qualities and platforms setUpBroadcast knows, what YouTube, Twitch and the like ask for (keyframes, bitrates, ' +
    'codecs), and the address of their servers. kind says which of the two. They come with the program and are not changed here; ' +
    'for the Encodings and Publishings that were made use getAllEncodings and getAllPublishings.',
  tag: 'Presets',
  aliases: ['templates', 'platforms', 'supported platforms', 'ready-made ladders', 'quality presets', 'requirements'],
  rest: 'GET /presets',
  access: 'operator',
  effect: 'read',
  input: z
    .object({
      ...pageFields,
      kind: z.enum(PRESET_KINDS).optional().describe('Only ladders, or only templates.'),
    })
    .strict(),
  output: listOf(presetOutput.partial()),
  shortFields: ['id', 'kind', 'name', 'type', 'url'],
  async handle(_ctx, { kind, ...page }) {
    const found = matchingPresets(page).filter((preset) => kind === undefined || preset.kind === kind);
    const from = (page.page - 1) * page.pageSize;
    return { body: pageBody(found.slice(from, from + page.pageSize), found.length, page) };
  },
});

/** Without a sort they are in the order of the program. Throws AppError invalid_input for another sort field. */
function matchingPresets(page: PageInput): Preset[] {
  const { search = '', sort } = pageQuery(page, ['name', 'kind']);
  const found = PRESETS.filter(({ name }) => name.toLowerCase().includes(search.toLowerCase()));
  if (sort === undefined) return found;
  const field = sort.field as 'id' | 'name' | 'kind';
  const sign = sort.descending ? -1 : 1;
  return found.sort((a, b) => (a[field] < b[field] ? -sign : a[field] > b[field] ? sign : 0));
}
