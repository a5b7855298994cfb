/** Words by which people group Live streams. Letter case does not count, as in a search. */
import { z } from 'zod/v3';
import type { FieldIssue } from './errors.ts';
import { foldedText } from './folded-text.ts';
import { wordField } from './schema.ts';

const MAX_TAGS = 20;

export const tagField = wordField(30);
export const tagsField = z.array(tagField).max(MAX_TAGS).default([]);

export function hasTag(tags: readonly string[] | undefined, wanted: string): boolean {
  const folded = foldedText(wanted);
  return tags?.some((tag) => foldedText(tag) === folded) === true;
}

export function repeatedTags(tags: readonly string[] = []): FieldIssue[] {
  return tags.flatMap((tag, at) =>
    hasTag(tags.slice(0, at), tag)
      ? [{ field: `tags.${at}`, code: 'duplicate', message: `${tag} is in the list twice` }]
      : [],
  );
}
