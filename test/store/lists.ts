/** Lists in a store: a Live stream each, whose description has the elements. */
import type { Store } from '../../domain/ports/store.ts';
import { livestream } from './support.ts';

export async function appendTo(store: Store, key: string, element: string): Promise<string[]> {
  return store.tx((tx) => {
    const [row] = tx.find('livestreams', { where: { name: key } }).rows;
    const list = [...elementsOf(row?.description), element];
    const description = list.join(' ');
    if (row === undefined) tx.insert('livestreams', livestream({ name: key, description }));
    else tx.put('livestreams', { ...row, description });
    return list;
  });
}

export async function listIn(store: Store, key: string): Promise<string[]> {
  return elementsOf((await store.find('livestreams', { where: { name: key } })).rows[0]?.description);
}

export async function listsIn(store: Store): Promise<Map<string, string[]>> {
  const { rows } = await store.find('livestreams', {});
  return new Map(rows.map(({ name, description }) => [name, elementsOf(description)]));
}

function elementsOf(description: string | null | undefined): string[] {
  return description == null || description === '' ? [] : description.split(' ');
}
