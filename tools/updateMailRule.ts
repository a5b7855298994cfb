import { mailRuleResource } from '../domain/rules/installation/mail-rule.ts';
import { updateTool } from '../toolkit/crud.ts';

export const updateMailRule = updateTool(
  {
    name: 'updateMailRule',
    summary: 'Change a mail rule: its recipients, its conditions, its quiet hours, or turn it off.',
    description:
      'Use it when other people are on call or too many mails come. What is left out stays; quiet_hours null ends them. What was wrong ' +
      'before the change is not told again. To try the recipients use testMailRule.',
    tag: 'System',
    aliases: ['edit alert', 'mute alerts', 'change recipients', 'quiet hours', 'pause notifications', 'snooze'],
    rest: 'PUT /system/mailRules/{ruleId}',
    access: 'admin',
  },
  mailRuleResource,
);
