/** The one place that starts ffmpeg and ffprobe: with a bare environment, bounds, rules for each input, and the sandbox of the machine. */
import type { ChildProcess, StdioOptions } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { isShortage } from '../../domain/base/absent.ts';
import { spawnPiped } from '../../linux/piped-child.ts';
import { foreignEnvironment, mediaEnvironment } from '../environment.ts';
import { boundsCommand, type Work } from './bounds.ts';
import { withInputRules } from './input-rules.ts';
import { confine, type FileAccess } from './landlock.ts';
import { findProgram, notFound, programOf, type MediaProgram } from './programs.ts';

export type { FileAccess } from './landlock.ts';
export type { Work } from './bounds.ts';

/** The way in which this machine confines the files of a process. */
export type Sandbox = 'landlock' | 'none';

export interface LaunchOptions {
  stdio: StdioOptions;
  work: Work;
  sandbox: Sandbox;
  /** Without it the process may open no file. */
  access?: FileAccess | undefined;
  /** The process talks to a driver of this machine (encoders in hardware), whose files we cannot know: it is bounded, but not confined. */
  usesDrivers?: boolean | undefined;
  /** The process ends with its input and not with this process: its unwritten output is worth more than a quick end. */
  outlives?: boolean | undefined;
  /** URL of the proxy for its web requests. */
  proxy?: string | undefined;
  /** A program that is started in place of the one of that name. */
  program?: string | undefined;
}

export const SETPRIV = '/usr/bin/setpriv';
/** Nobody can create a file in /proc, so this path is certainly missing. */
const NO_PROGRAM = '/proc/no-such-program';

/**
 * Starts the program by the path that was found and never by its name: a search by name may find another file, which nothing would confine.
 * A missing program does not throw, nor does a machine without a free descriptor: the child emits `error` with the reason. Throws Error for an input without rules.
 */
export function launch(name: MediaProgram, args: readonly string[], options: LaunchOptions): ChildProcess {
  const { stdio, work, sandbox, access = {}, usesDrivers = false, outlives = false } = options;
  const argsWithRules = withInputRules(args);
  const programName = options.program ?? programOf(name);
  const program = findProgram(programName);
  const env = { ...mediaEnvironment(), ...(options.proxy !== undefined && { http_proxy: options.proxy }) };
  if (program === undefined) return missingProgram(programName, stdio);
  for (const path of access.writes ?? []) makeFile(path);
  const isConfined = sandbox === 'landlock' && !usesDrivers;
  const prefix = [
    ...privileges(outlives, isConfined),
    ...boundsCommand(work),
    ...(isConfined ? confine(program, access) : []),
  ];
  const [first, ...rest] = [...prefix, program, ...argsWithRules];
  return spawnPiped(first!, rest, { stdio, env });
}

/** Landlock lets a process write to a file that is there. Without a free descriptor the process does not come about either, and says so. */
function makeFile(path: string): void {
  try {
    closeSync(openSync(path, 'a', 0o600));
  } catch (error) {
    if (!isShortage(error)) throw error;
  }
}

/**
 * Starts a program of the Device's owner, such as the resolver of a video site, or one of the machine: nobody here knows its files, caches and
 * helpers.
 */
export function launchOther(program: string, args: readonly string[], stdio: StdioOptions): ChildProcess {
  const path = findProgram(program);
  if (path === undefined) return missingProgram(program, stdio);
  const [first, ...rest] = [...endsWithUs(), path, ...args];
  return spawnPiped(first!, rest, { stdio, env: foreignEnvironment() });
}

/** A child with the pipes that were ordered, which emits the reason as any child that could not be started. */
function missingProgram(programName: string, stdio: StdioOptions): ChildProcess {
  const child = spawnPiped(NO_PROGRAM, [], { stdio, env: {} });
  const explain = (error: NodeJS.ErrnoException): void =>
    void Object.assign(error, { message: notFound(programName), path: programName });
  return child.once('error', explain);
}

/** The kernel ends the child with this process, whatever it is doing. Broken data pipes do that as well, but later. */
function endsWithUs(): string[] {
  return findProgram(SETPRIV) === undefined ? [] : [SETPRIV, '--pdeathsig', 'KILL'];
}

/**
 * Nothing that the child starts can gain rights, for example by a set-user-id program. A child of root keeps only the right to open a port
 * below 1024.
 */
function privileges(outlives: boolean, isConfined: boolean): string[] {
  if (findProgram(SETPRIV) === undefined) return [];
  const isRoot = isConfined && process.getuid?.() === 0;
  const rights = isRoot ? ['--inh-caps', '-all', '--bounding-set', '-all,+net_bind_service'] : [];
  return [...(outlives ? [SETPRIV] : endsWithUs()), '--no-new-privs', ...rights];
}
