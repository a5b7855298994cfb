/** A mail server that keeps what it takes. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';

export interface ReceivedMail {
  to: string[];
  text: string;
}

export interface MailServer {
  url: string;
  mails: ReceivedMail[];
  /** Addresses that it refuses. */
  refused: Set<string>;
  /** Set: no mail is taken, and this is said. */
  fault: string | undefined;
  stop(): Promise<void>;
}

export async function startMailServer({ user, password }: { user: string; password: string }): Promise<MailServer> {
  const state: Omit<MailServer, 'url' | 'stop'> = { mails: [], refused: new Set(), fault: undefined };
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: (auth, _session, done) =>
      auth.username === user && auth.password === password
        ? done(null, { user })
        : done(new Error(`no such account: ${auth.username} ${auth.password}`)),
    onRcptTo: ({ address }, _session, done) =>
      done(state.refused.has(address) ? Object.assign(new Error('no such mailbox'), { responseCode: 550 }) : null),
    onData(stream, { envelope }, done) {
      void text(stream).then((received) => {
        if (state.fault !== undefined) return done(Object.assign(new Error(state.fault), { responseCode: 451 }));
        state.mails.push({ to: envelope.rcptTo.map(({ address }) => address), text: decoded(received) });
        done();
      });
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  return Object.assign(state, {
    url: `smtp://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}`,
    stop: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  });
}

/** Long lines come in quoted-printable. */
function decoded(mail: string): string {
  const bytes = mail
    .replaceAll(/=\r?\n/gu, '')
    .replaceAll(/=([0-9A-F]{2})/gu, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
