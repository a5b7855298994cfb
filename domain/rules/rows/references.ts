/** Rules that more than one resource states about its references. Each answers findings, so that a caller hears all at once. */
import type { ResidentName, CollectionRows } from '../../ports/collections.ts';
import { AppError, ruleViolated, type FieldIssue } from '../../base/errors.ts';
import type { Lookup } from '../../ports/resource.ts';
import { called } from '../../base/sentence.ts';
import type { View } from '../../ports/store.ts';

/** Throws AppError rule_violated with every finding. */
export function assertRules(issues: readonly FieldIssue[]): void {
  if (issues.length === 0) return;
  const detail = issues.map((issue) => `${issue.field}: ${issue.message}.`).join(' ');
  const isMissing = issues.every(({ code }) => code === 'not_found');
  throw isMissing ? missing(detail, issues) : ruleViolated(detail, [...issues]);
}

/** A missing row is no contradiction between rows, so the remedy is another one. */
function missing(detail: string, issues: readonly FieldIssue[]): AppError {
  return new AppError('rule_violated', detail, {
    errors: [...issues],
    remedy: 'Name one that exists, or add it first.',
  });
}

/** `collection` is undefined for a resource that this version does not have, so no id of it exists yet. */
export function referenceIssues(
  lookup: Lookup,
  collection: ResidentName | undefined,
  noun: string,
  field: string,
  id: number | null | undefined,
): FieldIssue[] {
  if (id === null || id === undefined) return [];
  if (collection !== undefined && lookup.get(collection, id) !== undefined) return [];
  return [
    { field, code: 'not_found', message: `there is no ${noun} ${id}; list the resource to see which ids exist`, id },
  ];
}

/** Assets are referred to by their names. */
export function assetIssues(
  view: View,
  fileType: string,
  field: string,
  filename: string | null | undefined,
): FieldIssue[] {
  if (filename === null || filename === undefined || filename === '') return [];
  if (view.find('assets', { where: { fileType, filename }, limit: 1 }).total > 0) return [];
  const message = `there is no Asset ${JSON.stringify(filename)} in the bucket ${fileType}; upload it first with uploadAsset`;
  return [{ field, code: 'not_found', message, remedy: 'uploadAsset' }];
}

/** Checks that the members of a group exist and that none is named twice. */
export function elementIssues(
  lookup: Lookup,
  collection: ResidentName,
  noun: string,
  elements: readonly number[],
  field = 'elements',
): FieldIssue[] {
  return elements.flatMap((id, index) => [
    ...referenceIssues(lookup, collection, noun, `${field}.${index}`, id),
    ...(elements.indexOf(id) < index
      ? [
          {
            field: `${field}.${index}`,
            code: 'duplicate',
            message: `${called(noun, { id, name: nameOf(lookup.get(collection, id)) })} is named twice; name each member once`,
          },
        ]
      : []),
  ]);
}

function nameOf(row: object | undefined): string | undefined {
  return (row as { name?: string } | undefined)?.name;
}

/** The view as it would be with `row` written, for the effects of a change on rows that refer to it. */
export function withRow<C extends ResidentName>(lookup: Lookup, collection: C, row: CollectionRows[C]): Lookup {
  return {
    get: (name, id) => ((name as string) === collection && id === row.id ? (row as never) : lookup.get(name, id)),
  };
}
