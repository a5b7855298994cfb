import { mailRuleResource } from '../domain/rules/installation/mail-rule.ts';
import { deleteTool } from '../toolkit/crud.ts';

export const deleteMailRule = deleteTool(
  {
    name: 'deleteMailRule',
    summary: 'Delete a mail rule; nobody is told of faults of a broadcast by it any more.',
    description:
      'Use it when nobody needs these mails; it is gone for good. A mail that waits for its time is not sent. To stop them for a while use updateMailRule with ' +
      'enabled false.',
    tag: 'System',
    aliases: ['remove alert', 'no more mails', 'unsubscribe', 'stop notifications'],
    rest: 'DELETE /system/mailRules/{ruleId}',
    access: 'admin',
  },
  mailRuleResource,
);
