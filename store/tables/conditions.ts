/** A condition, once as a test on a value and once as spans of ranks in the field's index. */
import type { Condition, Scalar } from '../../domain/ports/store.ts';
import { compareScalars } from './scalar-order.ts';
import type { SortedIndex } from './sorted-index.ts';

/** Ranks from ≤ r < to. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

export function testOf(condition: Condition): (value: Scalar) => boolean {
  if (typeof condition !== 'object' || condition === null) return (value) => value === condition;
  if ('in' in condition) {
    const allowedValues = new Set(condition.in);
    return (value) => allowedValues.has(value);
  }
  if ('notIn' in condition) {
    const unwanted = new Set(condition.notIn);
    return (value) => !unwanted.has(value);
  }
  if ('prefix' in condition) return (value) => typeof value === 'string' && value.startsWith(condition.prefix);
  const { gte, lt } = condition;
  return (value) =>
    (gte === undefined || (typeof value === typeof gte && value! >= gte)) &&
    (lt === undefined || (typeof value === typeof lt && value! < lt));
}

/** Disjoint, rising, none empty; each bound lies between different values. */
export function spansOf(condition: Condition, index: SortedIndex): Span[] {
  if (typeof condition !== 'object' || condition === null) return filled([spanOf(condition, index)]);
  if ('in' in condition) return filled(inOrder(condition.in).map((value) => spanOf(value, index)));
  if ('notIn' in condition)
    return gapsBetween(filled(inOrder(condition.notIn).map((value) => spanOf(value, index))), index.size);
  if ('prefix' in condition) return filled([prefixSpan(condition.prefix, index)]);
  return filled([rangeSpan(condition, index)]);
}

function spanOf(value: Scalar, index: SortedIndex): Span {
  return { from: index.rank(value, -Infinity), to: index.rank(value, Infinity) };
}

function inOrder(values: readonly Scalar[]): Scalar[] {
  return [...new Set(values)].sort(compareScalars);
}

function filled(spans: Span[]): Span[] {
  return spans.filter(({ from, to }) => from < to);
}

function gapsBetween(spans: Span[], size: number): Span[] {
  const starts = [0, ...spans.map(({ to }) => to)];
  const ends = [...spans.map(({ from }) => from), size];
  return filled(starts.map((from, position) => ({ from, to: ends[position]! })));
}

/** A half-open range within the kind of its bounds: text is never in a range of numbers, null in neither. */
function rangeSpan({ gte, lt }: { gte?: string | number; lt?: string | number }, index: SortedIndex): Span {
  if (gte === undefined && lt === undefined) return { from: 0, to: index.size };
  if (gte !== undefined && lt !== undefined && typeof gte !== typeof lt) return { from: 0, to: 0 };
  const [first, pastLast] =
    typeof (gte ?? lt) === 'number'
      ? [index.rank(-Infinity, -Infinity), index.rank('', -Infinity)]
      : [index.rank('', -Infinity), index.size];
  return {
    from: gte === undefined ? first : index.rank(gte, -Infinity),
    to: lt === undefined ? pastLast : index.rank(lt, -Infinity),
  };
}

function prefixSpan(prefix: string, index: SortedIndex): Span {
  const after = successorOf(prefix);
  return { from: index.rank(prefix, -Infinity), to: after === undefined ? index.size : index.rank(after, -Infinity) };
}

/** The least string after all that start with `prefix`; undefined when there is none. */
function successorOf(prefix: string): string | undefined {
  for (let length = prefix.length; length > 0; length -= 1) {
    const unit = prefix.charCodeAt(length - 1);
    if (unit < 0xffff) return prefix.slice(0, length - 1) + String.fromCharCode(unit + 1);
  }
  return undefined;
}
