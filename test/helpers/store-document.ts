/** The document of a store, parsed. */
import type { Store, StoreDocument } from '../../domain/ports/store.ts';

export async function documentOf(store: Pick<Store, 'exportDocument'>): Promise<StoreDocument> {
  let text = '';
  for await (const piece of store.exportDocument()) text += piece;
  return JSON.parse(text) as StoreDocument;
}

/** As a file that holds it. */
export function textOf(document: unknown): () => string[] {
  return () => [JSON.stringify(document)];
}
