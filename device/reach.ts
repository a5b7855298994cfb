/** Where the requests of a Device may go, by the setting of the machine that it is on: a file in its folder takes it to the runners. */
import { lookup } from 'node:dns';
import { chmodSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseNetworks, Reach, type ResolveAll } from '../domain/networks.ts';

const resolveAll = lookup as unknown as ResolveAll;

function networksFile(deviceDir: string): string {
  return join(deviceDir, 'networks.json');
}

/** For the runners that start from now on. The control plane may be another user than the agent: it is for both to read. */
export function keepNetworks(deviceDir: string, sourceNetworks: string | undefined): void {
  const path = networksFile(deviceDir);
  writeFileSync(`${path}.tmp`, JSON.stringify({ sourceNetworks: sourceNetworks ?? '' }));
  chmodSync(`${path}.tmp`, 0o644);
  renameSync(`${path}.tmp`, path);
}

/** Throws for a file that is none: to go on without the rules of the setting would open what it closes. */
export function reachOf(deviceDir: string): Reach {
  let text: string;
  try {
    text = readFileSync(networksFile(deviceDir), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return builtInReach();
  }
  const { sourceNetworks } = JSON.parse(text) as { sourceNetworks: string };
  return new Reach(parseNetworks(sourceNetworks), resolveAll);
}

export function builtInReach(): Reach {
  return new Reach(parseNetworks(), resolveAll);
}
