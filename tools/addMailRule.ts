import { mailRuleResource } from '../domain/rules/installation/mail-rule.ts';
import { addTool } from '../toolkit/crud.ts';

export const addMailRule = addTool(
  {
    name: 'addMailRule',
    summary: 'Add a mail rule: people get an e-mail when something is wrong with a broadcast or a Device.',
    description:
      'Use it so that a lasting fault reaches people elsewhere. ' + 'It needs ONAIR_SMTP_URL; test: testMailRule.',
    tag: 'System',
    aliases: ['alert', 'notify me', 'e-mail alert', 'new notification', 'wake somebody', 'on call', 'digest mail'],
    rest: 'POST /system/mailRules',
    access: 'admin',
  },
  mailRuleResource,
);
