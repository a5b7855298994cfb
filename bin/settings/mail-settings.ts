/** The settings of the mail server, rows of bin/settings/settings.ts. */
import { z } from 'zod/v3';

export const MAIL_SETTINGS = {
  smtpUrl: {
    variable: 'ONAIR_SMTP_URL',
    schema: z.string().superRefine((text, issues) => {
      if (URL.canParse(text) && ['smtp:', 'smtps:'].includes(new URL(text).protocol) && new URL(text).hostname !== '')
        return;
      issues.addIssue({
        code: 'custom',
        message: 'must be the address of a mail server such as smtps://user:password@mail.example.org',
      });
    }),
    takes: 'the URL of a mail server such as `smtps://user:password@mail.example.org`, or `smtp://` for STARTTLS',
    initial: { words: 'none: no mail is sent' },
    meaning:
      'The mail server of the [mails about faults](manual.md#mails-about-faults). It may hold a password: set it where secrets are kept.',
  },
  mailFrom: {
    variable: 'ONAIR_MAIL_FROM',
    schema: z
      .string()
      .min(3)
      .max(254)
      .regex(/^[^\r\n]+@[^\r\n]+$/u, 'must hold an e-mail address'),
    takes: 'an e-mail address, or `onair <onair@example.org>`',
    initial: { words: '`onair@` and the host name of the mail server' },
    meaning: 'The sender of these mails.',
  },
} as const;
