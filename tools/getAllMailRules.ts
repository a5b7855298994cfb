import { mailRuleResource } from '../domain/rules/installation/mail-rule.ts';
import { listTool } from '../toolkit/crud.ts';

export const getAllMailRules = listTool(
  {
    name: 'getAllMailRules',
    summary: 'List mail rules: who gets a mail when a broadcast is in trouble, and whether the last one went out.',
    description:
      'Use it to see who is told of which faults, to find a ruleId, or to learn why no mail comes (last_error). To write such a rule use ' +
      'addMailRule, to try one testMailRule. For what went wrong itself use getAllEvents.',
    tag: 'System',
    aliases: ['alert rules', 'notifications', 'e-mail alerts', 'who is notified', 'alarm mails'],
    rest: 'GET /system/mailRules',
    access: 'admin',
  },
  mailRuleResource,
);
