/** The network cards of this machine, by the addresses that they were made with: a copy of its disk has others. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** The address is the card's own: it was neither drawn nor set (sysfs-class-net). */
const PERMANENT = '0';

/** None where the machine has no card of its own, as a container. */
export function networkCards(root = '/sys/class/net'): string[] {
  const read = (name: string, file: string): string => readFileSync(`${root}/${name}/${file}`, 'utf8').trim();
  try {
    return readdirSync(root)
      .filter((name) => existsSync(`${root}/${name}/device`) && read(name, 'addr_assign_type') === PERMANENT)
      .map((name) => read(name, 'address'))
      .sort();
  } catch {
    // Nothing is to be seen of them, or one was taken out meanwhile.
    return [];
  }
}
