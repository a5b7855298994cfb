/** Members of a shared store in this process. */
import type { Store } from '../../domain/ports/store.ts';
import { openStore, type OpenOptions } from '../../store/open.ts';
import { cleanUp, type Owner } from '../helpers/clean-up.ts';
import { openLine, type Line } from '../helpers/line.ts';

export async function openMember(owner: Owner, url: string, options: Partial<OpenOptions> = {}): Promise<Store> {
  const store = await openStore({ warn: () => undefined, ...options, kind: 'postgres', url });
  cleanUp(owner, () => store.close());
  return store;
}

/** Two servers of the database at `address`; the second reaches it over the line. */
export async function serversOnALine(
  owner: Owner,
  address: string,
  options: Partial<OpenOptions> = {},
): Promise<[Store, Store, Line]> {
  const url = new URL(address);
  const line = await openLine(Number(url.port));
  cleanUp(owner, () => line.close());
  const open = (number: number): Promise<Store> => {
    const server = { id: `7f6e7a4e-0000-4000-8000-00000000000${number}`, name: `server ${number}` };
    return openMember(owner, url.href, { ...options, server });
  };
  const one = await open(1);
  url.port = String(line.port);
  return [one, await open(2), line];
}
