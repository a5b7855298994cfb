/** Pages of a short list that another service answers whole. */
import { foldedText } from '../../domain/base/folded-text.ts';
import { pageBody, pageQuery, type PageInput } from './page.ts';

interface Item {
  id: string;
  name: string;
}

/** One page, sorted by id unless the input says otherwise, as every list. Throws AppError invalid_input for another sort field. */
export function itemsBody(items: readonly Item[], input: PageInput): ReturnType<typeof pageBody<Item>> {
  const { search = '', sort = { field: 'id', descending: false }, offset = 0, limit } = pageQuery(input, ['name']);
  const field = sort.field as keyof Item;
  const sign = sort.descending ? -1 : 1;
  const matches = items
    .filter(({ name }) => foldedText(name).includes(foldedText(search)))
    .sort((a, b) => sign * a[field].localeCompare(b[field], 'en') || a.id.localeCompare(b.id, 'en'));
  return pageBody(matches.slice(offset, limit === undefined ? undefined : offset + limit), matches.length, input);
}
