import { invalidInput } from '../../base/errors.ts';
import { defineResource } from '../../ports/resource.ts';
import type { Tx } from '../../ports/store.ts';
import type { Livestream } from '../../shapes/broadcasts/livestream.ts';
import { hasTag, repeatedTags } from '../../base/tags.ts';
import { wallCreate, wallOutput, type Wall } from '../../shapes/broadcasts/wall.ts';
import { assertRules, elementIssues } from '../rows/references.ts';

export const wallResource = defineResource({
  collection: 'walls',
  noun: 'Wall',
  idParam: 'wallId',
  shape: wallCreate,
  output: wallOutput,
  shortFields: ['id', 'name', 'layout', 'livestreamIds', 'tags', 'others'],
  filters: {},
  check: (row, view) => {
    const repeated = repeatedTags(row.tags);
    if (repeated.length > 0) throw invalidInput(repeated);
    assertRules(elementIssues(view, 'livestreams', 'Live stream', row.livestreamIds, 'livestreamIds'));
  },
  present: (row) => row,
});

export interface WallTile {
  livestreamId: number;
  /** false: it has a tile only while its Live stream is on. */
  always: boolean;
}

type Tiled = Pick<Livestream, 'id' | 'name' | 'tags'>;

/** The tiles in their order: by hand first, then by name. */
export function wallTiles(
  { livestreamIds, tags, others }: Pick<Wall, 'livestreamIds' | 'tags' | 'others'>,
  livestreams: readonly Readonly<Tiled>[],
): WallTile[] {
  const known = new Set(livestreams.map(({ id }) => id));
  const joins = (stream: Readonly<Tiled>): boolean =>
    !livestreamIds.includes(stream.id) && (others || tags.some((tag) => hasTag(stream.tags, tag)));
  return [
    ...livestreamIds.filter((id) => known.has(id)).map((livestreamId) => ({ livestreamId, always: true })),
    ...livestreams
      .filter(joins)
      .sort((one, other) => one.name.localeCompare(other.name, undefined, { numeric: true }))
      .map(({ id }) => ({ livestreamId: id, always: false })),
  ];
}

/** A deleted Live stream leaves the walls that show it. */
export function forgetTile(tx: Tx, livestreamId: number, now: string): void {
  for (const wall of tx.find('walls', {}).rows) {
    if (!wall.livestreamIds.includes(livestreamId)) continue;
    const livestreamIds = wall.livestreamIds.filter((id) => id !== livestreamId);
    tx.put('walls', { ...wall, livestreamIds, updated_at: now });
  }
}

export function removeDisplayLinks(tx: Tx, wallId: number): void {
  for (const { id } of tx.find('displayLinks', { where: { wallId } }).rows) tx.delete('displayLinks', id);
}
