/** `onair context` shows the servers that a token is kept for, and chooses the one that commands speak to. */
import { chooseContext, forgetServer, listContexts, signedIn } from '../settings/credentials.ts';
import { print, printRows, type Column, type FormatFlags } from '../output/format.ts';

type Context = ReturnType<typeof listContexts>[number];

const COLUMNS: readonly Column<Context>[] = [
  { head: 'IN FORCE', cell: ({ current }) => (current ? { text: 'yes', tone: 'good' } : '') },
  { head: 'SERVER', cell: ({ url }) => url },
  { head: 'USER', cell: ({ username }) => username ?? '' },
];

export async function showContexts(flags: FormatFlags): Promise<void> {
  const empty = 'No server is known yet. Sign in to one: onair login <url>';
  await printRows(listContexts(), { columns: COLUMNS, empty }, flags);
}

export function takeContext(name: string): void {
  print(`Commands speak to ${chooseContext(name)} from now on.`);
}

export function forgetContext(name: string): void {
  const { url } = signedIn(name);
  forgetServer(url);
  print(`No token is kept for ${url} any more; where it is good, it stays so until it is revoked.`);
}
