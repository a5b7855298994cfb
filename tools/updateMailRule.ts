import { mailRuleResource } from '../domain/rules/installation/mail-rule.ts';
import { updateTool } from '../toolkit/crud.ts';

export const updateMailRule = updateTool(
  {
    name: 'updateMailRule',
    summary: 'Change a mail rule: who is told of which faults of a broadcast, its quiet hours, or turn it off.',
    description:
      'Use it when other people look after the broadcast, or too many mails come. What is left out stays, lists are replaced; quiet_hours null ends them. What was wrong ' +
      'before the change is not told again. To try the recipients use testMailRule.',
    tag: 'System',
    aliases: ['edit alert', 'mute alerts', 'change recipients', 'quiet hours', 'pause notifications', 'snooze'],
    rest: 'PUT /system/mailRules/{ruleId}',
    access: 'admin',
  },
  mailRuleResource,
);
