/** All tools of the product by name, and the refusal of an unknown name. */
import { AppError } from '../domain/base/errors.ts';
import type { Tool } from './tool.ts';
import { stripInvisible } from './output/visible.ts';

export interface Catalogue {
  /** Operations, one for each REST route. */
  readonly operations: readonly Tool[];
  /** Workflow tools, which every MCP client sees in its list. */
  readonly workflows: readonly Tool[];
  /** The tool of that name. Throws AppError unknown_operation that names the nearest three. */
  get(name: string): Tool;
  find(name: string): Tool | undefined;
}

export function createCatalogue(operations: readonly Tool[], workflows: readonly Tool[]): Catalogue {
  const byName = new Map([...operations, ...workflows].map((tool) => [tool.name, tool]));
  return {
    operations,
    workflows,
    find: (name) => byName.get(name),
    get(name) {
      const tool = byName.get(name);
      if (tool !== undefined) return tool;
      const nearest = nearestNames(name, [...byName.keys()]);
      throw new AppError(
        'unknown_operation',
        `There is no operation ${JSON.stringify(stripInvisible(name).slice(0, 100))}. Did you mean ${nearest.join(', ')}?`,
        {
          facts: { nearest },
        },
      );
    },
  };
}

/** The `count` names with the smallest edit distance, whatever their case. */
export function nearestNames(wanted: string, names: readonly string[], count = 3): string[] {
  const target = wanted.toLowerCase().slice(0, 100);
  return names
    .map((name) => ({ name, distance: editDistance(target, name.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance || a.name.localeCompare(b.name))
    .slice(0, count)
    .map(({ name }) => name);
}

/** Counts letters to insert, remove, replace or swap with their neighbour (optimal string alignment, Damerau 1964), with three rows. */
export function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const substitution = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      let least = Math.min((previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, substitution);
      const isSwap = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (isSwap) least = Math.min(least, (before[column - 2] ?? 0) + 1);
      current.push(least);
    }
    before = previous;
    previous = current;
  }
  return previous[b.length] ?? 0;
}
