/**
 * Who listens where a token is about to be sent in plain text. While a server of this machine is down, any user may listen on its port: the
 * kernel tells whose the listener is. A server with TLS proves by its certificate who it is.
 */
import { readFile } from 'node:fs/promises';
import { AppError } from '../../domain/base/errors.ts';
import { ifAbsent } from '../../domain/base/absent.ts';
import { listenerOf } from '../settings/credentials.ts';

/** The user that the package, the image and the units of docs/systemd/ run the server as. */
const ACCOUNT = 'onair';
const LISTEN = '0A';

export interface Stranger {
  uid: number;
  /** For people. */
  name: string;
}

/**
 * The user of a listener of this machine who is none of these: root, the one who calls, the account of the service, `known`, or the one whose
 * server it was when somebody signed in to it.
 */
export async function strangerAt(url: string, known = listenerOf(url)): Promise<Stranger | undefined> {
  const { protocol, hostname, port } = new URL(url);
  if (protocol !== 'http:' || !(await isThisMachine(hostname))) return undefined;
  const accounts = await readFile('/etc/passwd', 'utf8').catch(ifAbsent(''));
  const trusted = [0, process.geteuid?.(), uidOf(accounts, ACCOUNT), known];
  const uid = (await listeningUids(Number(port || 80))).find((each) => !trusted.includes(each));
  return uid === undefined ? undefined : { uid, name: nameOf(accounts, uid) };
}

/** Rejects with AppError unavailable: the token that would be sent to `url` must not go to a stranger. */
export async function assertTrustedListener(url: string, known?: number): Promise<void> {
  const stranger = await strangerAt(url, known);
  if (stranger === undefined) return;
  throw new AppError(
    'unavailable',
    `What listens at ${url} is of ${stranger.name}, and not of you, root or ${ACCOUNT}: the token was not sent there.`,
    {
      remedy: `If it is your server, sign in to it once with: onair login ${url}. A server with a certificate (ONAIR_TLS_CERT) proves who it is.`,
    },
  );
}

/** Without a listener nobody gets anything; a machine without IPv6 has no table of it. */
async function listeningUids(port: number): Promise<number[]> {
  const tables = ['tcp', 'tcp6'].map((table) => readFile(`/proc/net/${table}`, 'utf8').catch(ifAbsent('')));
  return (await Promise.all(tables)).flatMap((table) => uidsIn(table, port));
}

/** Rows of /proc/net/tcp (proc(5)): sl, local, remote, state, tx:rx, timer, retransmits, uid, … */
export function uidsIn(table: string, port: number): number[] {
  return table.split('\n').flatMap((line) => {
    const [, local = '', , state, , , , uid] = line.trim().split(/\s+/u);
    return state === LISTEN && Number.parseInt(local.split(':')[1] ?? '', 16) === port ? [Number(uid)] : [];
  });
}

async function isThisMachine(hostname: string): Promise<boolean> {
  const [{ lookup }, { networkInterfaces }] = await Promise.all([import('node:dns/promises'), import('node:os')]);
  const host = hostname.replace(/^\[|\]$/gu, '');
  // A name that has no address is nobody's: the connection says so.
  const found = await lookup(host, { all: true }).catch(() => []);
  const own = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses.map(({ address }) => address));
  return found.some(({ address }) => address === '0.0.0.0' || address.startsWith('127.') || own.includes(address));
}

function uidOf(accounts: string, name: string): number | undefined {
  const line = accounts.split('\n').find((each) => each.startsWith(`${name}:`));
  return line === undefined ? undefined : Number(line.split(':')[2]);
}

function nameOf(accounts: string, uid: number): string {
  const line = accounts.split('\n').find((each) => each.split(':')[2] === String(uid));
  return line === undefined ? `the user ${uid}` : `${line.split(':')[0]} (user ${uid})`;
}
