/** Mails to people, through the mail server that ONAIR_SMTP_URL names. */
import { AppError, ruleViolated } from '../domain/base/errors.ts';
import type { Mail, MailOutcome } from '../domain/shapes/installation/mail.ts';

export interface MailSettings {
  /** smtp://user:password@host:587 or smtps://…; undefined: no mail is sent. */
  smtpUrl?: string | undefined;
  /** Left out: onair@ the host name of the mail server. */
  from?: string | undefined;
}

/** A mail server that takes a connection and says nothing. */
const SILENCE_MS = 20_000;

/** Rejects with AppError: rule_violated where no mail server is set, upstream_failed with its words, timeout when `signal` fires. */
export async function sendMail({ smtpUrl, from }: MailSettings, mail: Mail, signal: AbortSignal): Promise<MailOutcome> {
  if (smtpUrl === undefined)
    throw ruleViolated(
      'No mail server is set, so no mail can be sent. Set ONAIR_SMTP_URL, such as smtps://user:password@mail.example.org, and start the server again.',
      [],
    );
  const { createTransport } = await import('nodemailer');
  const { hostname } = new URL(smtpUrl);
  const sender = from ?? `onair@${hostname}`;
  const transport = createTransport(smtpUrl, {
    connectionTimeout: SILENCE_MS,
    greetingTimeout: SILENCE_MS,
    socketTimeout: SILENCE_MS,
    // No text of ours names a file or an address whose content should go with it.
    disableFileAccess: true,
    disableUrlAccess: true,
  } as never);
  const abort = (): void => transport.close();
  signal.addEventListener('abort', abort, { once: true });
  try {
    const { accepted, rejected } = await transport.sendMail({
      from: sender,
      to: [...mail.to],
      subject: mail.subject,
      text: mail.text,
      messageId: `<${mail.id}@${sender.slice(sender.lastIndexOf('@') + 1).replace(/>$/u, '')}>`,
      headers: { 'Auto-Submitted': 'auto-generated' },
    });
    return { accepted: accepted.map(addressOf), rejected: rejected.map(addressOf) };
  } catch (error) {
    if (signal.aborted)
      throw new AppError('timeout', `The mail server ${hostname} did not take the mail in time.`, { cause: error });
    throw new AppError('upstream_failed', `The mail server ${hostname} did not take the mail.`, {
      cause: error,
      upstream: wordsOf(error, smtpUrl),
    });
  } finally {
    signal.removeEventListener('abort', abort);
    transport.close();
  }
}

const addressOf = (address: string | { address: string }): string =>
  typeof address === 'string' ? address : address.address;

/** A server may repeat what it was given. */
function wordsOf(error: unknown, smtpUrl: string): string {
  const { username, password } = new URL(smtpUrl);
  const text = error instanceof Error ? error.message : String(error);
  return [password, username]
    .filter((secret) => secret !== '')
    .reduce((words, secret) => words.replaceAll(decodeURIComponent(secret), '***'), text)
    .slice(0, 300);
}
