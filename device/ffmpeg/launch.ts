/** The one place that starts ffmpeg and ffprobe: with a bare environment, bounds, rules for each input, and what the machine has of a sandbox. */
import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { bounded, type Work } from './bounds.ts';
import { withInputRules } from './input-rules.ts';
import { confine, type FileAccess } from './landlock.ts';
import {
  bareEnvironment,
  environmentOfOthers,
  findProgram,
  notFound,
  programOf,
  type MediaProgram,
} from './programs.ts';

export type { FileAccess } from './landlock.ts';
export type { Work } from './bounds.ts';

/** How what a process may open is confined on this machine. */
export type Sandbox = 'landlock' | 'none';

export interface LaunchOptions {
  stdio: StdioOptions;
  work: Work;
  sandbox: Sandbox;
  /** Left out: no file. */
  access?: FileAccess | undefined;
  /** It talks to a driver or a daemon of this machine (SDI, NDI), whose files are not ours to know: it is bounded, not confined. */
  usesDrivers?: boolean | undefined;
  /** It does not end with this process, but with its input: what it has not written yet is worth more than a quick end. */
  outlives?: boolean | undefined;
  /** URL of a proxy for what it asks of the web. */
  proxy?: string | undefined;
  /** Another program in the place of the one of that name. */
  program?: string | undefined;
}

export const SETPRIV = '/usr/bin/setpriv';
/** Nobody can make a file in /proc: what is looked for there is not found, for certain. */
const NO_PROGRAM = '/proc/no-such-program';

/**
 * The program is started by the path that was found, never by its name: what looks for a name may find another file, which nothing
 * would confine. Never throws for a program that is not there: the child then emits `error` (ENOENT), which says so. Throws Error for an
 * input without rules.
 */
export function launch(name: MediaProgram, args: readonly string[], options: LaunchOptions): ChildProcess {
  const { stdio, work, sandbox, access = {}, usesDrivers = false, outlives = false } = options;
  const ruled = withInputRules(args);
  const wanted = options.program ?? programOf(name);
  const program = findProgram(wanted);
  const env = { ...bareEnvironment(), ...(options.proxy !== undefined && { http_proxy: options.proxy }) };
  if (program === undefined) return neverStarted(wanted, stdio);
  for (const path of access.writes ?? []) closeSync(openSync(path, 'a', 0o600));
  const isConfined = sandbox === 'landlock' && !usesDrivers;
  const before = [
    ...privileges(outlives, isConfined),
    ...bounded(work),
    ...(isConfined ? confine(program, access) : []),
  ];
  const [first, ...rest] = [...before, program, ...ruled];
  return spawn(first!, rest, { stdio, env });
}

/** A program that is not ours, as the resolver of a video site: it has files, caches and helpers that nobody here knows. */
export function launchOther(program: string, args: readonly string[], stdio: StdioOptions): ChildProcess {
  const path = findProgram(program);
  if (path === undefined) return neverStarted(program, stdio);
  const [first, ...rest] = [...endsWithUs(), path, ...args];
  return spawn(first!, rest, { stdio, env: environmentOfOthers() });
}

/** Its pipes are there and it ends with the reason, as every child that could not be started. */
function neverStarted(wanted: string, stdio: StdioOptions): ChildProcess {
  const child = spawn(NO_PROGRAM, { stdio, env: {} });
  const explain = (error: NodeJS.ErrnoException): void =>
    void Object.assign(error, { message: notFound(wanted), path: wanted });
  return child.once('error', explain);
}

/** The kernel ends the child with us, whatever it is doing. Broken data pipes do it as well, but later. */
function endsWithUs(): string[] {
  return findProgram(SETPRIV) === undefined ? [] : [SETPRIV, '--pdeathsig', 'KILL'];
}

/** Nothing that it starts can gain rights, by a set-user-id program for one. Of root's it keeps that to open a port below 1024. */
function privileges(outlives: boolean, isConfined: boolean): string[] {
  if (findProgram(SETPRIV) === undefined) return [];
  const isRoot = isConfined && process.getuid?.() === 0;
  const rights = isRoot ? ['--inh-caps', '-all', '--bounding-set', '-all,+net_bind_service'] : [];
  return [...(outlives ? [SETPRIV] : endsWithUs()), '--no-new-privs', ...rights];
}
