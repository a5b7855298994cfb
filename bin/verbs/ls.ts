/** `onair ls <resource>` lists what there is, by the words that people use for it. */
import { invalidInput } from '../../domain/base/errors.ts';
import { listAll } from '../client/call.ts';
import { isTable, listText } from '../output/format.ts';
import { show, type WatchFlags } from '../output/watch.ts';
import type { Named } from '../../toolkit/input/resolve.ts';
import { ALIASES, RESOURCES, type Resource, type Row } from './resources.ts';

export async function ls(word: string, flags: WatchFlags): Promise<void> {
  const resource = resourceNamed(word);
  const { operation, columns, embed = {}, hasLivestreams } = resource;
  const look = async (): Promise<Row[]> => {
    if (!isTable(flags)) return listAll<Row>(operation);
    const rows = await listAll<Row>(operation, embed);
    return hasLivestreams === true ? withLivestreams(rows) : rows;
  };
  const empty = `There are no ${word.replaceAll('-', ' ')} yet.`;
  await show({ look, text: (rows) => listText(rows, { columns, empty }), headline: () => word }, flags);
}

/** A name in the singular is understood too. Throws AppError invalid_input that names them all. */
function resourceNamed(word: string): Resource {
  const plural = word.endsWith('s') ? word : `${word}s`;
  const resource = RESOURCES[ALIASES[plural] ?? plural];
  if (resource !== undefined) return resource;
  const known = Object.keys(RESOURCES);
  const message = `must be one of ${known.join(', ')}; it was ${JSON.stringify(word)}`;
  throw invalidInput([{ field: 'resource', code: 'invalid_value', message, allowed: known }]);
}

async function withLivestreams(rows: readonly Row[]): Promise<Row[]> {
  const streams = rows.length === 0 ? [] : await listAll<Named>('getAllLivestreams', { fields: 'id,name' });
  const names = new Map(streams.map(({ id, name }) => [id, name]));
  return rows.map((row) => ({ ...row, livestream: names.get(Number(row['livestreamId'])) ?? row['livestreamId'] }));
}
