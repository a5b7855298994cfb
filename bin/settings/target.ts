/** The server that the commands for people speak to. */
import { commandLine } from './config-folder.ts';
import { loadConfig } from './config.ts';
import { resolveTarget, type Target } from './credentials.ts';

/** The server of the commands for people, by this command line and environment. Throws AppError invalid_input, unauthenticated. */
export function target(): Target {
  return resolveTarget(loadConfig(commandLine, process.env, process.cwd()));
}

/** Whether commands speak to a server that somebody has signed in to, and that is not the one of this machine. */
export function isElsewhere(): boolean {
  return target().isElsewhere === true;
}
