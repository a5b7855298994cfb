/**
 * The networks that a Device may send requests to, set by the machine that it is on. A file in the Device's folder takes the setting to the
 * runners.
 */
import { lookup } from 'node:dns';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ifAbsent } from '../domain/base/absent.ts';
import { parseNetworks, Reach, type ResolveAll } from '../domain/network/networks.ts';
import { writeForOwner } from './atomic-file.ts';

const resolveAll = lookup as unknown as ResolveAll;

function networksFile(deviceDir: string): string {
  return join(deviceDir, 'networks.json');
}

/**
 * Stores the setting for the runners that start from now on. It tells how the network around is made, so that it is for the Device's user
 * alone. A full disk keeps the former setting, because broadcasts have to be supervised all the same; the result says whether
 * the new one was stored.
 */
export function keepNetworks(deviceDir: string, sourceNetworks: string | undefined): boolean {
  const path = networksFile(deviceDir);
  const text = JSON.stringify({ sourceNetworks: sourceNetworks ?? '' });
  try {
    // Former versions made it readable for all.
    if (readText(path) === text && (statSync(path).mode & 0o077) === 0) return true;
    writeForOwner(path, text);
    return true;
  } catch {
    // Both callers log that the rules could not be written.
    return false;
  }
}

export const NOT_KEPT = 'ONAIR_SOURCE_NETWORKS could not be written down for the runners; they go by the former one.';

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    return ifAbsent(undefined)(error);
  }
}

/** Throws when the file is not JSON: going on without the rules of the setting would open what it closes. */
export function reachOf(deviceDir: string): Reach {
  const text = readText(networksFile(deviceDir));
  if (text === undefined) return builtInReach();
  const { sourceNetworks } = JSON.parse(text) as { sourceNetworks: string };
  return new Reach(parseNetworks(sourceNetworks), resolveAll);
}

export function builtInReach(): Reach {
  return new Reach(parseNetworks(), resolveAll);
}
