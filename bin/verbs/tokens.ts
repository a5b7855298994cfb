/** `onair token` is about API tokens. */
import type { TokenScope } from '../../domain/shapes/installation/security.ts';
import { callServer, listAll } from '../client/call.ts';
import { instantText } from '../output/instants.ts';
import { documentText, print, printRows, type Column, type FormatFlags } from '../output/format.ts';
import { answerText } from './answer-text.ts';

interface TokenRow extends TokenScope {
  kid: string;
  name: string;
  created_at: string;
  expires_at: string | null;
  client: { username: string; redirect_host: string; last_used_at: string } | null;
}

const COLUMNS: readonly Column<TokenRow>[] = [
  { head: 'KID', cell: ({ kid }) => kid },
  { head: 'NAME', cell: ({ name }) => name },
  { head: 'CREATED', cell: ({ created_at }) => instantText(created_at) },
  { head: 'EXPIRES', cell: ({ expires_at }) => (expires_at === null ? 'never' : instantText(expires_at)) },
  { head: 'PROFILE', cell: ({ profile }) => profile ?? 'any' },
  { head: 'ASSISTANT OF', cell: ({ client }) => client?.username ?? '' },
  { head: 'LAST USED', cell: ({ client }) => (client === null ? '' : instantText(client.last_used_at)) },
  { head: 'OPERATIONS', cell: ({ operations }) => operations?.join(' ') ?? 'all' },
];

export interface TokenFlags extends FormatFlags {
  expiresDays?: string;
  profile?: string;
  operations?: string;
}

export async function createToken(name: string, flags: TokenFlags): Promise<void> {
  const { expiresDays, profile, operations } = flags;
  await printAnswer(
    await callServer('createApiToken', {
      name,
      ...(expiresDays !== undefined && { expires_days: Number(expiresDays) }),
      ...(profile !== undefined && { profile }),
      ...(operations !== undefined && { operations: operations.split(',').map((operation) => operation.trim()) }),
    }),
    flags,
  );
}

export async function listTokens(flags: FormatFlags): Promise<void> {
  await printRows(await listAll<TokenRow>('listApiTokens'), { columns: COLUMNS, empty: 'There are no tokens.' }, flags);
}

export async function revokeToken(kid: string, flags: FormatFlags): Promise<void> {
  await printAnswer(await callServer('revokeApiToken', { kid }), flags);
}

/** Scripts keep the token from the answer of the API, which stays what is printed where no other form is named. */
async function printAnswer(answer: unknown, flags: FormatFlags): Promise<void> {
  const { data = {} } = answer as { data?: object };
  if (flags.output === undefined && flags.json === undefined) return print(JSON.stringify(answer, null, 2));
  print(flags.output === 'table' && flags.json === undefined ? answerText(data) : await documentText(data, flags));
}
