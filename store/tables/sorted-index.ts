/**
 * One field's values with the ids of their rows, kept in order of (value, id) in blocks of at most 512: an insert moves at most
 * one block (about 1 µs at any size, where one array of 100k entries costs 20-50 µs), a rank is two bisections and a sum over the
 * block lengths, and values that only grow (`id`, `at`) are appended. Equality, ranges and prefixes are spans of ranks, so a count
 * is a subtraction.
 */
import type { Scalar } from '../../domain/ports/store.ts';
import { compareScalars } from './scalar-order.ts';

/** With longer blocks an insert moves more; with shorter ones ranks sum over more blocks. */
const BLOCK_LIMIT = 512;
/** Blocks of a bulk load leave room, so that the first inserts do not split every one of them. */
const BLOCK_FILL = 384;
/** After this many steps back through equal values a bisection finds their first sooner. */
const STEPS_BACK = 32;

interface Block {
  readonly values: Scalar[];
  readonly ids: number[];
}

/** Answers false to end the walk. */
export type Visit = (id: number) => boolean;

export class SortedIndex {
  private blocks: Block[] = [];
  private count = 0;

  get size(): number {
    return this.count;
  }

  /** Replaces everything; `values[i]` belongs to `ids[i]`, in any order. */
  load(values: readonly Scalar[], ids: readonly number[]): void {
    const order = ids.map((_, position) => position);
    const compare = (a: number, b: number): number => compareScalars(values[a]!, values[b]!) || ids[a]! - ids[b]!;
    // Instants and ids mostly arrive in order; one pass finds out, and saves the sort.
    const ordered = order.every((position) => position === 0 || compare(position - 1, position) < 0);
    if (!ordered) order.sort(compare);
    this.blocks = [];
    for (let start = 0; start < order.length; start += BLOCK_FILL) {
      const part = order.slice(start, start + BLOCK_FILL);
      this.blocks.push({
        values: part.map((position) => values[position]!),
        ids: part.map((position) => ids[position]!),
      });
    }
    this.count = order.length;
  }

  add(value: Scalar, id: number): void {
    this.count += 1;
    const last = this.blocks.at(-1);
    if (last === undefined || compareEntry(last, last.ids.length - 1, value, id) < 0) {
      // Values that only grow fill each block before the next begins.
      if (last !== undefined && last.ids.length < BLOCK_LIMIT) {
        last.values.push(value);
        last.ids.push(id);
      } else this.blocks.push({ values: [value], ids: [id] });
      return;
    }
    const at = this.blockFor(value, id);
    const block = this.blocks[at]!;
    const offset = offsetIn(block, value, id);
    block.values.splice(offset, 0, value);
    block.ids.splice(offset, 0, id);
    if (block.ids.length > BLOCK_LIMIT) {
      const half = block.ids.length >> 1;
      this.blocks.splice(at + 1, 0, { values: block.values.splice(half), ids: block.ids.splice(half) });
    }
  }

  remove(value: Scalar, id: number): void {
    const at = this.blockFor(value, id);
    const block = this.blocks[at];
    const offset = block === undefined ? 0 : offsetIn(block, value, id);
    if (block === undefined || block.ids[offset] !== id)
      throw new Error(`The index has no entry ${JSON.stringify(value)} for row ${id}.`);
    this.count -= 1;
    block.values.splice(offset, 1);
    block.ids.splice(offset, 1);
    if (block.ids.length === 0) this.blocks.splice(at, 1);
  }

  /** Number of entries before (value, id); id -Infinity counts those before the value, +Infinity also those equal to it. */
  rank(value: Scalar, id: number): number {
    const at = this.blockFor(value, id);
    const block = this.blocks[at];
    if (block === undefined) return this.count;
    let before = offsetIn(block, value, id);
    for (let each = 0; each < at; each += 1) before += this.blocks[each]!.ids.length;
    return before;
  }

  /** Visits the ranks from ≤ r < to upwards. Answers false when a visit ended the walk. */
  walk(from: number, to: number, visit: Visit): boolean {
    if (from >= to) return true;
    let { at, offset } = this.locate(from);
    let left = to - from;
    for (; left > 0; at += 1, offset = 0) {
      const { ids } = this.blocks[at]!;
      const end = Math.min(ids.length, offset + left);
      left -= end - offset;
      for (; offset < end; offset += 1) if (!visit(ids[offset]!)) return false;
    }
    return true;
  }

  /**
   * Visits the ranks from ≤ r < to with the values falling and, among equal values, the ids rising; the first `skip` entries of that order
   * are left out. The bounds must not part equal values.
   */
  walkDown(from: number, to: number, skip: number, visit: Visit): boolean {
    let end = to - skip;
    if (end <= from) return true;
    if (skip > 0) {
      // The first entry to visit lies among equal values, which are a run of ranks in rising order.
      const value = this.valueAt(end - 1);
      const first = Math.max(from, this.rank(value, -Infinity));
      const past = Math.min(to, this.rank(value, Infinity));
      if (!this.walk(first + (past - end), past, visit)) return false;
      end = first;
    }
    while (end > from) {
      const first = Math.max(from, this.firstOfEquals(end - 1));
      if (!this.walk(first, end, visit)) return false;
      end = first;
    }
    return true;
  }

  private firstOfEquals(rank: number): number {
    let { at, offset } = this.locate(rank);
    const value = this.blocks[at]!.values[offset]!;
    for (let steps = 0; steps < STEPS_BACK; steps += 1) {
      if (offset === 0) {
        if (at === 0) return rank - steps;
        at -= 1;
        offset = this.blocks[at]!.ids.length;
      }
      offset -= 1;
      if (this.blocks[at]!.values[offset] !== value) return rank - steps;
    }
    return this.rank(value, -Infinity);
  }

  private valueAt(rank: number): Scalar {
    const { at, offset } = this.locate(rank);
    return this.blocks[at]!.values[offset]!;
  }

  private locate(rank: number): { at: number; offset: number } {
    if (rank > this.count / 2) {
      let before = this.count;
      for (let at = this.blocks.length - 1; ; at -= 1) {
        before -= this.blocks[at]!.ids.length;
        if (before <= rank) return { at, offset: rank - before };
      }
    }
    let offset = rank;
    for (let at = 0; ; at += 1) {
      const { length } = this.blocks[at]!.ids;
      if (offset < length) return { at, offset };
      offset -= length;
    }
  }

  /** The first block whose last entry is not before (value, id); the number of blocks when there is none. */
  private blockFor(value: Scalar, id: number): number {
    let low = 0;
    let high = this.blocks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const block = this.blocks[middle]!;
      if (compareEntry(block, block.ids.length - 1, value, id) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function compareEntry(block: Block, offset: number, value: Scalar, id: number): number {
  return compareScalars(block.values[offset]!, value) || block.ids[offset]! - id;
}

function offsetIn(block: Block, value: Scalar, id: number): number {
  let low = 0;
  let high = block.ids.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareEntry(block, middle, value, id) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
