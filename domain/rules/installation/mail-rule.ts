import { z } from 'zod/v3';
import { invalidInput, type FieldIssue } from '../../base/errors.ts';
import { defineResource } from '../../ports/resource.ts';
import type { Tx } from '../../ports/store.ts';
import { mailRuleCreate, mailRuleOutput, type MailRule } from '../../shapes/installation/mail-rule.ts';
import { repeatedTags } from '../../base/tags.ts';
import { assertRules, referenceIssues } from '../rows/references.ts';

export const mailRuleResource = defineResource({
  collection: 'mailRules',
  noun: 'Mail rule',
  idParam: 'ruleId',
  shape: mailRuleCreate,
  output: mailRuleOutput,
  shortFields: ['id', 'name', 'enabled', 'recipients', 'last_sent_at', 'last_error'],
  filters: { enabled: z.boolean().optional().describe('Only those that are on, or off.') },
  complete: (row, present) => ({
    ...row,
    last_sent_at: present?.last_sent_at ?? null,
    last_error: present?.last_error ?? null,
  }),
  check: (row, view) => {
    const issues = [...twice(row), ...repeatedTags(row.tags)];
    if (issues.length > 0) throw invalidInput(issues);
    assertRules(
      row.livestreamIds.flatMap((id, at) =>
        referenceIssues(view, 'livestreams', 'Live stream', `livestreamIds.${at}`, id),
      ),
    );
  },
  present: (row) => ({ ...row, tags: row.tags ?? [] }),
});

function twice({ recipients, conditions, livestreamIds }: MailRule): FieldIssue[] {
  const lists = { recipients: recipients.map((address) => address.toLowerCase()), conditions, livestreamIds };
  return Object.entries<readonly (string | number)[]>(lists).flatMap(([field, values]) =>
    values.flatMap((value, at) =>
      values.indexOf(value) < at
        ? [{ field: `${field}.${at}`, code: 'duplicate', message: `${value} is in the list twice` }]
        : [],
    ),
  );
}

/** A rule that names a deleted Live stream goes on without it; one that named nothing else is turned off, because that means all. */
export function forgetLivestream(tx: Tx, livestreamId: number, now: string): void {
  for (const rule of tx.find('mailRules', {}).rows) {
    if (!rule.livestreamIds.includes(livestreamId)) continue;
    const livestreamIds = rule.livestreamIds.filter((id) => id !== livestreamId);
    const namesOthers = livestreamIds.length > 0 || (rule.tags ?? []).length > 0;
    tx.put('mailRules', { ...rule, livestreamIds, enabled: rule.enabled && namesOthers, updated_at: now });
  }
}
