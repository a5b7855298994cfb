import { z } from 'zod/v3';
import { anySignal } from '../domain/base/any-signal.ts';
import { mailRuleResource } from '../domain/rules/installation/mail-rule.ts';
import { idField } from '../domain/base/schema.ts';
import { getRow } from '../toolkit/crud.ts';
import { dataOf } from '../toolkit/output/page.ts';
import { defineTool } from '../toolkit/tool.ts';

const BOUND_MS = 30_000;

export const testMailRule = defineTool({
  name: 'testMailRule',
  summary: 'Send a test mail as for a fault of a broadcast, and say whose address the mail server took.',
  description:
    'Use it when no mails about a broadcast come, or after addMailRule. It takes half a minute at most; quiet hours do not count. It ' +
    'changes nothing on air, and a rule that is off is tried too. That the mail server took a mail does not mean that somebody has read it.',
  tag: 'System',
  aliases: ['test alert', 'test e-mail', 'do notifications work', 'check smtp', 'try mail server'],
  rest: 'POST /system/mailRules/{ruleId}/test',
  access: 'admin',
  effect: 'control',
  input: z.object({ ruleId: idField.describe('Id of the Mail rule.') }).strict(),
  output: dataOf(
    z
      .object({
        ruleId: idField.describe('Mail rule.'),
        accepted: z.array(z.string()).describe('Addresses that the mail server took the mail for.'),
        rejected: z.array(z.string()).describe('Addresses that it refused.'),
      })
      .strict(),
  ),
  async handle(ctx, { ruleId }) {
    const { row } = await getRow(ctx.store, mailRuleResource, ruleId);
    const mail = {
      to: row.recipients,
      subject: `onair: a test of the rule "${row.name}"`,
      text: `Mails about faults will reach you. An administrator tried the rule "${row.name}".`,
      id: `test-${ruleId}-${ctx.clock.now()}`,
    };
    const { accepted, rejected } = await ctx.integrations.sendMail(
      mail,
      anySignal([ctx.signal, AbortSignal.timeout(BOUND_MS)]),
    );
    return ctx.commit(() => ({ body: { data: { ruleId, accepted, rejected } } }));
  },
});
