/** The folder of the caller's own files, and the flags that count for every command. No schema of a setting is loaded for them. */
import { homedir, userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { AppError } from '../../domain/base/errors.ts';

/** The flags that count for every command of this process. program.ts sets them before the command runs. */
export const commandLine: { config?: string; context?: string } = {};

/** The words of the command as they were typed. */
export const typed: { words: readonly string[] } = { words: [] };

/** The folder of the caller's own files: settings and credentials. */
export function configFolder(env: NodeJS.ProcessEnv): string {
  return join(ownFolder(env, 'XDG_CONFIG_HOME', '.config'), 'onair');
}

/** The XDG base directory specification has relative paths ignored, for they would lead into whatever the working directory is. */
export function ownFolder(env: NodeJS.ProcessEnv, variable: string, inHome: string): string {
  const path = env[variable];
  if (path && isAbsolute(path)) return path;
  const folder = join(homeFolder(), inHome);
  if (path) noticeOnce(`${variable} is ignored, for ${path} is no absolute path; ${folder} is used.`);
  return folder;
}

/** The folder that HOME names; where HOME is empty or relative, the folder of the user's entry in passwd. Throws AppError where there is none. */
function homeFolder(): string {
  for (const find of [homedir, () => userInfo().homedir]) {
    try {
      const folder = find();
      if (isAbsolute(folder)) return folder;
    } catch {
      // The user has no entry in passwd.
    }
  }
  throw new AppError(
    'invalid_input',
    `Setting from the environment: HOME names no absolute path, and user ${process.getuid?.() ?? ''} has no home folder in passwd. Set HOME, or XDG_CONFIG_HOME and XDG_DATA_HOME, to absolute paths.`,
    {
      errors: [{ field: 'HOME', code: 'required', message: 'must be an absolute path' }],
      remedy: 'Correct the setting, or take it away, and try again.',
    },
  );
}

const notices = new Set<string>();

/** A command that goes on, such as `status --watch`, reads its settings for each call, so each notice is shown once. */
export function noticeOnce(line: string): void {
  if (!notices.has(line)) process.stderr.write(`onair: ${line}\n`);
  notices.add(line);
}
