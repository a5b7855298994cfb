/** Where the requests of a Device may go, by the setting of the machine that it is on: a file in its folder takes it to the runners. */
import { lookup } from 'node:dns';
import { chmodSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseNetworks, Reach, type ResolveAll } from '../domain/networks.ts';

const resolveAll = lookup as unknown as ResolveAll;

function networksFile(deviceDir: string): string {
  return join(deviceDir, 'networks.json');
}

/**
 * For the runners that start from now on. The control plane may be another user than the agent: it is for both to read. A full disk keeps
 * the former setting, for what is on air has to be supervised all the same; the answer says whether it was kept.
 */
export function keepNetworks(deviceDir: string, sourceNetworks: string | undefined): boolean {
  const path = networksFile(deviceDir);
  const text = JSON.stringify({ sourceNetworks: sourceNetworks ?? '' });
  try {
    if (readText(path) === text) return true;
    writeFileSync(`${path}.tmp`, text);
    chmodSync(`${path}.tmp`, 0o644);
    renameSync(`${path}.tmp`, path);
    return true;
  } catch {
    return false;
  }
}

export const NOT_KEPT = 'ONAIR_SOURCE_NETWORKS could not be written down for the runners; they go by the former one.';

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Throws for a file that is none: to go on without the rules of the setting would open what it closes. */
export function reachOf(deviceDir: string): Reach {
  const text = readText(networksFile(deviceDir));
  if (text === undefined) return builtInReach();
  const { sourceNetworks } = JSON.parse(text) as { sourceNetworks: string };
  return new Reach(parseNetworks(sourceNetworks), resolveAll);
}

export function builtInReach(): Reach {
  return new Reach(parseNetworks(), resolveAll);
}
