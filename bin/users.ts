/** `onair user` is about people who may sign in. A password is typed without echo or comes on stdin: arguments are visible to every process. */
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { AppError, invalidInput } from '../domain/errors.ts';
import { ROLE } from '../domain/security.ts';
import { commandLine, loadConfig } from './config.ts';
import { callTool, print } from './people.ts';
import { table } from './table.ts';

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

export async function listUsers(): Promise<void> {
  const rows: UserRow[] = [];
  for (let page = 1, pages = 1; page <= pages; page += 1) {
    const answer = (await callTool('getAllUsers', { page, pageSize: 500, sort: 'username' })) as {
      rows: UserRow[];
      pagination: { totalPages: number };
    };
    rows.push(...answer.rows);
    pages = answer.pagination.totalPages;
  }
  const lines = rows.map((user) => [
    String(user.id),
    user.username,
    `${user.first_name} ${user.last_name}`.trim(),
    user.email,
    user.user_role === ROLE.admin ? 'admin' : 'operator',
    user.active ? (user.has_password ? 'yes' : 'tokens only') : 'no',
  ]);
  print(table(['ID', 'USERNAME', 'NAME', 'E-MAIL', 'ROLE', 'MAY SIGN IN'], lines));
}

export async function addUser(username: string, flags: NewUserFlags): Promise<void> {
  const { firstName: first_name, lastName: last_name, email, role } = flags;
  const password = flags.password ? await readPassword(username, flags.passwordStdin === true) : null;
  const names = {
    username,
    ...(first_name !== undefined && { first_name }),
    ...(last_name !== undefined && { last_name }),
  };
  print(await callTool('addUser', { ...names, email, user_role: ROLE[role], password }));
}

/** The server sets it; where none answers or lets this caller in, it is set in the store of a stopped server of this machine. */
export async function setPassword(username: string, flags: { passwordStdin?: boolean }): Promise<void> {
  let typed: Promise<string> | undefined;
  const password = (): Promise<string> => (typed ??= readPassword(username, flags.passwordStdin === true));
  try {
    const { id } = await findUser(username);
    await callTool('updateUser', { userId: id, password: await password() });
  } catch (error) {
    if (!(error instanceof AppError && ['unavailable', 'unauthenticated'].includes(error.code))) throw error;
    const { data } = loadConfig(commandLine, process.env, process.cwd());
    const { isIdle, setStoredPassword } = await import('./own-store.ts');
    if (!(await isIdle(data))) throw withLocalRemedy(error, data);
    await setStoredPassword(data, username, await password());
  }
  print(`The password of ${username} is changed; other sessions of ${username} have ended.`);
}

function withLocalRemedy(error: AppError, data: string): AppError {
  const remedy = `Use an administrator's token, or stop the server of ${data} and run this again on its machine as the folder's owner.`;
  return new AppError(error.code, error.message, { ...error.extras, remedy });
}

export async function setActive(username: string, active: boolean): Promise<void> {
  const { id } = await findUser(username);
  await callTool('updateUser', { userId: id, active });
  print(`${username} is ${active ? 'active' : 'not active: sessions have ended, tokens are refused'}.`);
}

async function findUser(username: string): Promise<UserRow> {
  const { rows } = (await callTool('getAllUsers', { username })) as { rows: UserRow[] };
  const [user] = rows;
  if (user === undefined) throw new AppError('not_found', `There is no user ${username}. List them: onair user list`);
  return user;
}

async function readPassword(username: string, fromStdin: boolean): Promise<string> {
  if (fromStdin) return readFileSync(0, 'utf8').replace(/\r?\n$/u, '');
  if (!process.stdin.isTTY) {
    const message = 'stdin is no terminal; give the password on it with --password-stdin';
    throw invalidInput([{ field: 'password', code: 'required', message }]);
  }
  const [first, second] = await typeHidden([`Password of ${username}: `, 'Once more: ']);
  if (first === second) return first ?? '';
  throw invalidInput([{ field: 'password', code: 'mismatch', message: 'was typed in two different ways; try again' }]);
}

/** readline edits the line as a terminal does; its echo is dropped. */
async function typeHidden(questions: readonly string[]): Promise<string[]> {
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output, terminal: true });
  const interruption = new AbortController();
  lines.once('SIGINT', () => interruption.abort());
  lines.once('close', () => interruption.abort());
  try {
    const answers: string[] = [];
    for (const question of questions) {
      process.stderr.write(question);
      answers.push(await lines.question('', { signal: interruption.signal }));
      process.stderr.write('\n');
    }
    return answers;
  } catch (cause) {
    if (!interruption.signal.aborted) throw cause;
    process.stderr.write('\n');
    throw new AppError('invalid_input', 'No password was given; nothing is changed.', { cause });
  } finally {
    lines.close();
  }
}
