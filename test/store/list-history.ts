/**
 * A checker of histories. Members append elements to lists and read them; each operation notes when it began and ended, and the list that it
 * saw. If the store is strictly serialisable, all lists that were seen of one key are beginnings of its last one, no element that was
 * acknowledged is missing or there twice, and who begins after another has ended sees at least what that one saw or added.
 */

export interface Operation {
  /** Who did it, for the words of findings. */
  readonly member: string;
  readonly key: string;
  /** Monotonic time of one machine, in milliseconds; `end` is left out when nobody knows how it ended. */
  readonly begin: number;
  readonly end?: number;
  /** The one that was appended; left out by a read. */
  readonly element?: string;
  /** The list as the operation saw it, its own element included; left out when it was refused or its outcome is unknown. */
  readonly list?: readonly string[];
}

/** Answers what contradicts a strictly serialisable store, in words; empty for nothing. */
export function findingsIn(operations: readonly Operation[], last: ReadonlyMap<string, readonly string[]>): string[] {
  const keys = new Set([...last.keys(), ...operations.map(({ key }) => key)]);
  return [...keys].flatMap((key) =>
    findingsOfKey(
      key,
      operations.filter((operation) => operation.key === key),
      last.get(key) ?? [],
    ),
  );
}

function findingsOfKey(key: string, operations: readonly Operation[], last: readonly string[]): string[] {
  const findings: string[] = [];
  const counts = new Map<string, number>();
  for (const element of last) counts.set(element, (counts.get(element) ?? 0) + 1);
  for (const [element, count] of counts) if (count > 1) findings.push(`${key}: ${element} is there ${count} times`);
  for (const { member, element, list } of operations) {
    if (list === undefined) continue;
    if (element !== undefined && !counts.has(element)) findings.push(`${key}: ${element} of ${member} is lost`);
    const wrong = list.findIndex((each, at) => last[at] !== each);
    if (wrong >= 0)
      findings.push(`${key}: ${member} saw ${list[wrong]} in place ${wrong}, where ${String(last[wrong])} is`);
  }
  return [...findings, ...staleIn(key, operations)];
}

/** Goes through the operations in the order of their beginnings, with the longest list of those that had ended before. */
function staleIn(key: string, operations: readonly Operation[]): string[] {
  const answered = operations.filter(({ list, end }) => list !== undefined && end !== undefined);
  const byEnd = [...answered].sort((a, b) => a.end! - b.end!);
  const findings: string[] = [];
  let ended = 0;
  let longest: Operation | undefined;
  for (const operation of [...answered].sort((a, b) => a.begin - b.begin)) {
    for (; byEnd[ended] !== undefined && byEnd[ended]!.end! < operation.begin; ended += 1)
      if (byEnd[ended]!.list!.length > (longest?.list!.length ?? 0)) longest = byEnd[ended];
    const isOlder = longest !== undefined && operation.list!.length < longest.list!.length;
    if (isOlder)
      findings.push(
        `${key}: ${operation.member} saw ${operation.list!.length} elements after ${longest!.member} had seen ${longest!.list!.length}`,
      );
  }
  return findings;
}
