/** Secrets that the servers of one store have in common. */
import { randomBytes } from 'node:crypto';
import type { Secret } from '../../domain/base/secret.ts';
import type { Store } from '../../domain/ports/store.ts';
import { formerLinkKey } from '../../system/signed-links.ts';

export interface SharedSecrets {
  /** Signs links that open without a token. */
  linkKey: Buffer;
  /** The servers prove by it to each other that they are of one store; in base64url. */
  memberKey: string;
}

/** The first server makes them. Links that it gave out while it had a store of its own stay good: it brings their key from its data folder. */
export async function sharedSecrets(store: Store, dataDir: string): Promise<SharedSecrets> {
  const linkKey = (formerLinkKey(dataDir) ?? randomBytes(32)).toString('base64url');
  const memberKey = randomBytes(32).toString('base64url');
  return store.tx((tx) => {
    const ensured = (name: Secret['name'], value: string): string => {
      const [present] = tx.find('secrets', { where: { name }, limit: 1 }).rows;
      return (present ?? tx.insert('secrets', { name, value })).value;
    };
    return { linkKey: Buffer.from(ensured('links', linkKey), 'base64url'), memberKey: ensured('members', memberKey) };
  });
}
