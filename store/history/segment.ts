/**
 * A segment is a part of one collection's history, in three files that only grow. `.rows` has the rows as checksummed lines. `.records` has
 * the indexed fields of each row as numbers, so that a query reads few bytes. `.words` has each distinct value of the word fields once; its
 * code in a record is its position in that file. SegmentFacts say how many bytes of each file are valid: bytes behind them are of a write
 * that did not end, and the next write overwrites them.
 */
import { statSync } from 'node:fs';
import { open, rm, stat, truncate, type FileHandle } from 'node:fs/promises';
import { historyFacts, type HistoryName } from '../../domain/ports/collections.ts';
import { writeAll } from '../files/files.ts';
import { lineOf, linesOf, parseLine } from '../files/lines.ts';
import type { AnyRow } from '../tables/table.ts';
import { columnsOf, ID, LENGTH, numberOf, OFFSET, widthOf } from '../tables/columns.ts';
import type { FingerprintPool } from './fingerprint-pool.ts';
import { Fingerprints } from './fingerprints.ts';
import { PIECE_BYTES, readExactly, rowsAt, type Place } from './reads.ts';
import { NUMBER_BYTES, SEGMENT_FILES, segmentBytes, segmentPath, type SegmentFile } from './segment-files.ts';

/** Facts of a segment in a snapshot; a start reads no more of it. */
export interface SegmentFacts {
  readonly number: number;
  readonly rows: number;
  readonly rowBytes: number;
  readonly wordBytes: number;
  /** The least and the greatest instant of its rows, in milliseconds; null while no row has one. */
  readonly earliest: number | null;
  readonly latest: number | null;
}

/** A segment as it was at one moment; later rows are not in it. */
export interface SegmentView {
  readonly segment: Segment;
  readonly rows: number;
}

interface Handles {
  readonly rows: FileHandle;
  readonly records: FileHandle;
  readonly words: FileHandle;
}

export class Segment {
  readonly name: HistoryName;
  readonly number: number;
  /** Results of earlier counts: the number of matching rows, by the text of the condition. They are valid until a row is added. */
  readonly matchCounts = new Map<string, number>();
  /** False when its files are damaged, so that no query reads them. */
  isReadable = true;
  private readonly dir: string;
  private readonly width: number;
  private currentFacts: SegmentFacts;
  private wordCodes: Map<string, number> | undefined;
  private readonly pool: FingerprintPool;
  private fingerprints: { readonly of: Fingerprints; rows: number } | undefined;
  /** Open from the first write to the end of the sync that makes it durable, because another handle might not hear of its failure. */
  private handles: Handles | undefined;

  constructor(dir: string, name: HistoryName, facts: SegmentFacts, pool: FingerprintPool) {
    this.dir = dir;
    this.pool = pool;
    this.name = name;
    this.number = facts.number;
    this.width = widthOf(name);
    this.currentFacts = facts;
  }

  static empty(dir: string, name: HistoryName, number: number, pool: FingerprintPool): Segment {
    const facts = { number, rows: 0, rowBytes: 0, wordBytes: 0, earliest: null, latest: null };
    const segment = new Segment(dir, name, facts, pool);
    segment.wordCodes = new Map();
    return segment;
  }

  get facts(): SegmentFacts {
    return this.currentFacts;
  }

  get view(): SegmentView {
    return { segment: this, rows: this.currentFacts.rows };
  }

  get paths(): string[] {
    return [this.rowPath, this.recordPath, this.wordPath];
  }

  /** Writes the rows behind the others, not durably. The returned function makes them part of the segment; until then no query sees them. */
  async append(rows: readonly AnyRow[]): Promise<() => void> {
    const words = await this.knownWords();
    this.handles ??= await this.opened();
    const { rowBytes, wordBytes, rows: before } = this.currentFacts;
    const added = new Map<string, number>();
    const codeOf = (word: string): number => {
      const known = words.get(word) ?? added.get(word);
      if (known !== undefined) return known;
      added.set(word, words.size + added.size);
      return words.size + added.size - 1;
    };
    const lines = rows.map((row) => Buffer.from(lineOf(JSON.stringify(row))));
    const records = this.recordsOf(rows, lines, rowBytes, codeOf);
    const wordLines = Buffer.from([...added.keys()].map((word) => lineOf(JSON.stringify(word))).join(''));
    await writeAll(this.handles.words, wordLines, wordBytes);
    await writeAll(this.handles.rows, Buffer.concat(lines), rowBytes);
    await writeAll(this.handles.records, Buffer.from(records.buffer), before * this.width * NUMBER_BYTES);
    const grown = lines.reduce((sum, { length }) => sum + length, 0);
    const facts = {
      number: this.number,
      rows: before + rows.length,
      rowBytes: rowBytes + grown,
      wordBytes: wordBytes + wordLines.length,
      ...this.instantsWith(rows),
    };
    return () => {
      for (const [word, code] of added) words.set(word, code);
      this.currentFacts = facts;
      this.matchCounts.clear();
    };
  }

  /** Makes all that was written durable, apart from the names of the files. */
  async sync(): Promise<void> {
    if (this.handles === undefined) return;
    for (const handle of Object.values(this.handles) as FileHandle[]) await handle.sync();
    await this.close();
  }

  async close(): Promise<void> {
    const handles = this.handles;
    this.handles = undefined;
    if (handles === undefined) return;
    for (const handle of Object.values(handles) as FileHandle[]) await handle.close();
  }

  /**
   * Compares the files with the facts; `missing` when none exists. It is synchronous: only a start calls it, for a hundred files, which
   * takes half a millisecond this way and ten otherwise.
   */
  check(): 'whole' | 'missing' | 'short' | 'long' {
    const sizes = this.paths.map((path) => statSync(path, { throwIfNoEntry: false })?.size);
    if (sizes.every((size) => size === undefined)) return 'missing';
    if (this.sizes.some((size, at) => (sizes[at] ?? -1) < size)) return 'short';
    return this.sizes.some((size, at) => sizes[at]! > size) ? 'long' : 'whole';
  }

  /** Removes bytes beyond the facts: those of writes that did not end, and the room that they have taken. */
  async cutBack(): Promise<void> {
    for (const [at, path] of this.paths.entries()) {
      const size = this.sizes[at]!;
      if ((await stat(path)).size > size) await truncate(path, size);
    }
  }

  async remove(): Promise<void> {
    await this.close();
    this.fingerprints?.of.remove();
    for (const path of this.paths) await rm(path, { force: true });
  }

  /** Words in the order of their codes. */
  async words(): Promise<string[]> {
    return [...(await this.knownWords()).keys()];
  }

  /** The records in pieces; with `descending` the last piece comes first, and each piece is in rising order all the same. */
  async *records(view: SegmentView, from: number, to: number, descending: boolean): AsyncGenerator<Float64Array> {
    const size = this.width * NUMBER_BYTES;
    const maxRecords = Math.floor(PIECE_BYTES / size);
    const end = Math.min(to, view.rows);
    const handle = await open(this.recordPath, 'r');
    try {
      for (let done = from; done < end; done += maxRecords) {
        const count = Math.min(maxRecords, end - done);
        const first = descending ? end - (done - from) - count : done;
        const bytes = await readExactly(handle, first * size, count * size);
        yield new Float64Array(bytes.buffer, bytes.byteOffset, count * this.width);
      }
    } finally {
      await handle.close();
    }
  }

  /** The rows at the places that records name, in the same order; undefined for one that is not as it was written. */
  rowsAt(places: readonly Place[]): Promise<(AnyRow | undefined)[]> {
    return rowsAt(this.rowPath, places);
  }

  /** False when no row of the view has the hash in that column. The first call makes the fingerprints, from records alone. */
  async mayHave(view: SegmentView, column: number, hash: number): Promise<boolean> {
    const prints = (this.fingerprints ??= { of: new Fingerprints(this.pool), rows: 0 });
    while (prints.rows < view.rows) {
      const from = prints.rows;
      for await (const piece of this.records(view, from, view.rows, false))
        prints.of.addAll(columnIn(piece, column, this.width));
      // Two calls at once add the same twice, which changes nothing.
      prints.rows = Math.max(prints.rows, view.rows);
    }
    return prints.of.mayHave(hash);
  }

  private recordsOf(
    rows: readonly AnyRow[],
    lines: readonly Buffer[],
    rowBytes: number,
    codeOf: (word: string) => number,
  ): Float64Array {
    const columns = columnsOf(this.name);
    const records = new Float64Array(rows.length * this.width);
    let offset = rowBytes;
    for (const [at, row] of rows.entries()) {
      const start = at * this.width;
      const { length } = lines[at]!;
      records[start + ID] = row.id;
      records[start + OFFSET] = offset;
      records[start + LENGTH] = length;
      offset += length;
      for (const { field, kind, at: position } of columns) {
        const value = row[field] ?? null;
        records[start + position] =
          kind !== 'word' ? numberOf(kind, value) : value === null ? Number.NaN : codeOf(value as string);
      }
    }
    return records;
  }

  private instantsWith(rows: readonly AnyRow[]): Pick<SegmentFacts, 'earliest' | 'latest'> {
    let { earliest, latest } = this.currentFacts;
    const { instant } = historyFacts(this.name);
    for (const row of rows) {
      const value = row[instant];
      if (typeof value !== 'string') continue;
      const ms = Date.parse(value);
      earliest = Math.min(earliest ?? ms, ms);
      latest = Math.max(latest ?? ms, ms);
    }
    return { earliest, latest };
  }

  private async knownWords(): Promise<Map<string, number>> {
    if (this.wordCodes !== undefined) return this.wordCodes;
    const words = new Map<string, number>();
    for await (const line of linesOf(this.wordPath)) {
      if (line.start >= this.currentFacts.wordBytes) break;
      const word = parseLine(line);
      // A damaged word keeps its code, because those behind it must keep theirs.
      words.set(typeof word === 'string' ? word : `(damaged word ${words.size})`, words.size);
    }
    return (this.wordCodes ??= words);
  }

  /** Each file, open for writing, made when it does not exist. */
  private async opened(): Promise<Handles> {
    const opened: FileHandle[] = [];
    try {
      for (const path of this.paths) opened.push(await open(path, this.currentFacts.rows === 0 ? 'w' : 'r+', 0o600));
    } catch (error) {
      for (const handle of opened) await handle.close();
      throw error;
    }
    const [rows, records, words] = opened;
    return { rows: rows!, records: records!, words: words! };
  }

  private get sizes(): number[] {
    const bytes = segmentBytes(this.name, this.currentFacts);
    return SEGMENT_FILES.map((file) => bytes[file]);
  }

  private get rowPath(): string {
    return this.path('rows');
  }

  private get recordPath(): string {
    return this.path('records');
  }

  private get wordPath(): string {
    return this.path('words');
  }

  private path(file: SegmentFile): string {
    return segmentPath(this.dir, this.name, this.number, file);
  }
}

function* columnIn(records: Float64Array, column: number, width: number): Generator<number> {
  for (let at = column; at < records.length; at += width) yield records[at]!;
}
