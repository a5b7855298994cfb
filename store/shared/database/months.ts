/** History is partitioned by month, so that what is old goes as a whole table. A month's partition is made before its first row comes. */
import { historyFacts, isHistory, type HistoryName } from '../../../domain/ports/collections.ts';
import type { Commit } from '../../tables/tables.ts';
import { isPartitioned, tableOf } from './columns.ts';
import type { Session } from './connection.ts';
import { failureKind } from './failure.ts';

/** Beyond them is a clock that was never set, or an import of such; it goes to the partition of what belongs nowhere. */
const FIRST = '2000-01';
const LAST = '2199-12';

const key = (name: HistoryName, month: string): string => `${name} ${month}`;

export class Months {
  private readonly known = new Set<string>();

  /** Makes the partitions of the commits' months. Where that fails, their rows go to the partition of what belongs nowhere. */
  async ensure(session: Session, commits: readonly Commit[]): Promise<void> {
    for (const [name, month] of this.unknownOf(commits)) await this.ensureMonth(session, name, month);
  }

  /** Whether `ensure` has something to do. */
  hasUnknown(commits: readonly Commit[]): boolean {
    return this.unknownOf(commits).next().done !== true;
  }

  private *unknownOf(commits: readonly Commit[]): Generator<[HistoryName, string], void> {
    for (const { body } of commits)
      for (const [name, , , row] of body.ops) {
        if (!isHistory(name) || !isPartitioned(name)) continue;
        const instant = row![historyFacts(name).instant];
        if (typeof instant !== 'string') continue;
        const month = instant.slice(0, 7);
        if (!this.known.has(key(name, month)) && month >= FIRST && month <= LAST) yield [name, month];
      }
  }

  async ensureMonth(session: Session, name: HistoryName, month: string): Promise<void> {
    if (this.known.has(key(name, month)) || month < FIRST || month > LAST) return;
    this.known.add(key(name, month));
    const table = `${tableOf(name)}_${month.replace('-', '_')}`;
    const bounds = `from ('${month}-01') to ('${next(month)}-01')`;
    try {
      await session.query(`create table if not exists ${table} partition of ${tableOf(name)} for values ${bounds}`);
    } catch (error) {
      // Another member makes it at the same moment, or rows of the month lie elsewhere already.
      if (failureKind(error) === 'away') throw error;
    }
  }
}

function next(month: string): string {
  const [year, number] = month.split('-').map(Number) as [number, number];
  return new Date(Date.UTC(year, number, 1)).toISOString().slice(0, 7);
}
