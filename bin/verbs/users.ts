/** `onair user` is about people who may sign in. A password is typed without echo or comes on stdin: arguments are visible to every process. */
import { AppError, invalidInput } from '../../domain/base/errors.ts';
import { ROLE } from '../../domain/shapes/installation/security.ts';
import { commandLine } from '../settings/config-folder.ts';
import { loadConfig } from '../settings/config.ts';
import { takeNamed, type Named } from '../../toolkit/input/resolve.ts';
import { isElsewhere } from '../settings/target.ts';
import { NoAnswer } from '../exit-codes.ts';
import { callServer, listAll } from '../client/call.ts';
import { print, printRows, type Column, type FormatFlags } from '../output/format.ts';
import { stdinText } from '../stdin.ts';
import { typeHidden } from './hidden-input.ts';

interface UserRow {
  id: number;
  username: string;
  first_name: string;
  last_name: string;
  email: string;
  user_role: number;
  active: boolean;
  has_password: boolean;
}

export interface NewUserFlags {
  firstName?: string;
  lastName?: string;
  email: string;
  role: 'admin' | 'operator';
  /** false stands for --no-password. */
  password: boolean;
  passwordStdin?: boolean;
}

const COLUMNS: readonly Column<UserRow>[] = [
  { head: 'ID', cell: ({ id }) => String(id) },
  { head: 'USERNAME', cell: ({ username }) => username },
  { head: 'NAME', cell: ({ first_name, last_name }) => `${first_name} ${last_name}`.trim() },
  { head: 'E-MAIL', cell: ({ email }) => email },
  { head: 'ROLE', cell: ({ user_role }) => (user_role === ROLE.admin ? 'admin' : 'operator') },
  { head: 'MAY SIGN IN', cell: (user) => (user.active ? (user.has_password ? 'yes' : 'tokens only') : 'no') },
];

export async function listUsers(flags: FormatFlags): Promise<void> {
  const rows = await listAll<UserRow>('getAllUsers', { sort: 'username' });
  await printRows(rows, { columns: COLUMNS, empty: 'There are no users.' }, flags);
}

export async function addUser(username: string, flags: NewUserFlags): Promise<void> {
  const { firstName: first_name, lastName: last_name, email, role } = flags;
  const password = flags.password ? await readPassword(username, flags.passwordStdin === true) : null;
  const names = {
    username,
    ...(first_name !== undefined && { first_name }),
    ...(last_name !== undefined && { last_name }),
  };
  const answer = await callServer('addUser', { ...names, email, user_role: ROLE[role], password });
  print(JSON.stringify(answer, null, 2));
}

/** The server sets it; where none answers or lets this caller in, it is set in the store of a stopped server of this machine. */
export async function setPassword(username: string, flags: { passwordStdin?: boolean }): Promise<void> {
  let typed: Promise<string> | undefined;
  const password = (): Promise<string> => (typed ??= readPassword(username, flags.passwordStdin === true));
  try {
    const { id, name } = await takeUser(username);
    username = name;
    await callServer('updateUser', { userId: id, password: await password() });
  } catch (error) {
    if (!(error instanceof AppError && ['unavailable', 'unauthenticated'].includes(error.code))) throw error;
    // The users of another machine's server are not those of this one.
    if (isElsewhere()) throw error;
    const config = loadConfig(commandLine, process.env, process.cwd());
    const { isIdle, setStoredPassword } = await import('../store/own-store.ts');
    if (!(await isIdle(config))) throw withLocalRemedy(error, config.data);
    await setStoredPassword(config, username, await password());
  }
  print(`The password of ${username} is changed; other sessions of ${username} have ended.`);
}

function withLocalRemedy(error: AppError, data: string): AppError {
  const remedy = `Use an administrator's token, or stop the server of ${data} and run this again on its machine as the folder's owner.`;
  const extras = { ...error.extras, remedy };
  return error instanceof NoAnswer
    ? new NoAnswer(error.message, extras)
    : new AppError(error.code, error.message, extras);
}

export async function setActive(username: string, active: boolean): Promise<void> {
  const { id, name } = await takeUser(username);
  await callServer('updateUser', { userId: id, active });
  print(`${name} is ${active ? 'active' : 'not active: sessions have ended, tokens are refused'}.`);
}

async function takeUser(wanted: string): Promise<Named> {
  const rows = await listAll<Pick<UserRow, 'id' | 'username'>>('getAllUsers', { fields: 'id,username' });
  const users = rows.map(({ id, username }) => ({ id, name: username }));
  return takeNamed(users, { wanted, noun: 'User' });
}

async function readPassword(username: string, fromStdin: boolean): Promise<string> {
  if (fromStdin) return (await stdinText()).replace(/\r?\n$/u, '');
  if (!process.stdin.isTTY) {
    const message = 'stdin is no terminal; give the password on it with --password-stdin';
    throw invalidInput([{ field: 'password', code: 'required', message }]);
  }
  const [first, second] = await typeHidden([`Password of ${username}: `, 'Once more: ']);
  if (first === second) return first ?? '';
  throw invalidInput([{ field: 'password', code: 'mismatch', message: 'was typed in two different ways; try again' }]);
}
