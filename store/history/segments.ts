/** The segments of one collection, oldest first. The last one takes new rows; whole ones are deleted when they are old or too many. */
import { historyFacts, type HistoryName } from '../../domain/ports/collections.ts';
import type { HistoryFacts } from '../../domain/ports/history-facts.ts';
import type { AnyRow } from '../tables/table.ts';
import type { FingerprintPool } from './fingerprint-pool.ts';
import { Segment, type SegmentFacts, type SegmentView } from './segment.ts';

/** A twentieth of the maximum: this many more may be kept, because only whole segments go. */
const MAX_ROWS = 50_000;

/** Segments of one collection, by age. */
const SEGMENTS_KEPT = 12;

export class Segments {
  readonly name: HistoryName;
  private readonly dir: string;
  private readonly historyFacts: HistoryFacts;
  private readonly pool: FingerprintPool;
  private segments: Segment[] = [];
  /** Segments of a snapshot that may still be the last one; their files go with it. */
  private dropped: Segment[] = [];
  private nextNumber = 1;

  /** `keptMs` takes the place of how long its rows are kept by themselves. */
  constructor(dir: string, name: HistoryName, pool: FingerprintPool, keptMs?: number) {
    this.dir = dir;
    this.pool = pool;
    this.name = name;
    const facts = historyFacts(name);
    // Whole segments go, so each is a twelfth of the time that its rows are kept.
    this.historyFacts =
      keptMs === undefined ? facts : { ...facts, keptMs, spanMs: Math.min(facts.spanMs, keptMs / SEGMENTS_KEPT) };
  }

  get rows(): number {
    return this.segments.reduce((sum, { facts }) => sum + facts.rows, 0);
  }

  /** Takes over the segments of a snapshot. */
  adopt(facts: readonly SegmentFacts[]): void {
    this.segments = facts.map((each) => new Segment(this.dir, this.name, each, this.pool));
    this.nextNumber = Math.max(0, ...facts.map(({ number }) => number)) + 1;
  }

  get all(): readonly Segment[] {
    return this.segments;
  }

  /** Removes a segment whose files are gone. */
  lose(lost: Segment): void {
    this.segments = this.segments.filter((segment) => segment !== lost);
  }

  facts(): SegmentFacts[] {
    return this.segments.map(({ facts }) => facts);
  }

  /** The segments as they are at this moment, without those that are over by `nowMs`. */
  views(nowMs: number): SegmentView[] {
    this.dropOld(nowMs);
    return this.segments.map(({ view }) => view);
  }

  /** Appends rows in the order of their ids. They count once the answer is called; until then nothing has changed. */
  async append(rows: readonly AnyRow[]): Promise<() => void> {
    const counts: (() => void)[] = [];
    const added: Segment[] = [];
    const last = this.segments.at(-1);
    try {
      for (const [segment, part] of this.parted(rows, added)) counts.push(await segment.append(part));
    } catch (error) {
      // On a full disk the journal needs the room.
      for (const segment of added) await segment.remove();
      // A segment that cannot be cut keeps bytes behind its counted end, which the next append writes over.
      await last?.cutBack().catch(() => undefined);
      throw error;
    }
    return () => {
      for (const count of counts) count();
      this.segments.push(...added);
      this.nextNumber += added.length;
    };
  }

  /** Assigns rows to segments; new ones are put into `added`. */
  private *parted(rows: readonly AnyRow[], added: Segment[]): Generator<[Segment, readonly AnyRow[]]> {
    let segment = this.segments.at(-1);
    let room = segment === undefined ? 0 : MAX_ROWS - segment.facts.rows;
    let beginMs = segment?.facts.earliest ?? undefined;
    for (let at = 0; at < rows.length;) {
      if (segment === undefined || room <= 0 || !this.belongs(rows[at]!, beginMs)) {
        segment = Segment.empty(this.dir, this.name, this.nextNumber + added.length, this.pool);
        added.push(segment);
        room = MAX_ROWS;
        beginMs = this.instantOf(rows[at]!);
      }
      let end = at;
      while (end < rows.length && end - at < room && this.belongs(rows[end]!, beginMs)) end += 1;
      yield [segment, rows.slice(at, end)];
      room -= end - at;
      at = end;
    }
  }

  /** Answers whether there was one to drop. Dropped segments are in no answer any more; their files stay until `forget`. */
  dropOld(nowMs: number): boolean {
    const before = this.dropped.length;
    let { rows } = this;
    for (let [oldest] = this.segments; oldest !== undefined; [oldest] = this.segments) {
      const { latest, rows: its } = oldest.facts;
      // A row without an instant has no age.
      const isOld = latest !== null && latest + this.historyFacts.keptMs <= nowMs;
      if (!isOld && rows - its < this.historyFacts.maxRows) break;
      this.segments.shift();
      this.dropped.push(oldest);
      rows -= its;
    }
    return this.dropped.length > before;
  }

  /** Hands over the segments whose files may be deleted, now that no snapshot names them. */
  takeDropped(): Segment[] {
    const dropped = this.dropped;
    this.dropped = [];
    return dropped;
  }

  private belongs(row: AnyRow, beginMs: number | undefined): boolean {
    const ms = this.instantOf(row);
    return ms === undefined || beginMs === undefined || ms < beginMs + this.historyFacts.spanMs;
  }

  private instantOf(row: AnyRow): number | undefined {
    const value = row[this.historyFacts.instant];
    return typeof value === 'string' ? Date.parse(value) : undefined;
  }
}
