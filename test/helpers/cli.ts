/** Commands of the program without a start of it for each, which takes a hundred times as long as most of them. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KeyedQueue } from '../../domain/base/keyed-queue.ts';
import type { Command, CommandResult } from './fixtures/cli.ts';
import { atProcessEnd } from './process-end.ts';
import { programArguments } from './program.ts';

export interface Ended {
  code: number;
  stdout: string;
  stderr: string;
  /** stdout, byte for byte. */
  bytes: Buffer;
  /** stdout and stderr in the order of writing. */
  screen: string;
}

export interface CommandOptions {
  input?: string;
  cwd?: string;
  /** Columns of the terminal that stdout and stderr are; left out: pipes. */
  columns?: number;
}

const queue = new KeyedQueue<'commands'>();
let shared: { child: ChildProcess; stdin: string } | undefined;

function start(): { child: ChildProcess; stdin: string } {
  const folder = mkdtempSync(join(tmpdir(), 'onair-cli-'));
  const [entry] = programArguments(new URL('fixtures/cli.ts', import.meta.url)).slice(-1);
  const child = fork(entry!, {
    execArgv: [],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  atProcessEnd(async () => {
    if (child.connected) child.disconnect();
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    rmSync(folder, { recursive: true, force: true });
  });
  return { child, stdin: join(folder, 'stdin') };
}

/** Carries out `onair` with these words, under this environment, in the one process that all specs of this one share for it. */
export function onair(words: readonly string[], env: NodeJS.ProcessEnv, options: CommandOptions = {}): Promise<Ended> {
  return queue.run(['commands'], async () => {
    const { child, stdin } = (shared ??= start());
    writeFileSync(stdin, options.input ?? '');
    const { cwd = process.cwd(), columns } = options;
    const command: Command = { words, env, cwd, stdin, columns };
    const { stdout, ...result } = await new Promise<CommandResult>((resolve, reject) => {
      const gone = (): void => {
        shared = undefined;
        reject(new Error(`onair ${words.join(' ')} has ended the process.`));
      };
      child.once('exit', gone);
      child.once('message', (answer) => {
        child.off('exit', gone);
        resolve(answer as CommandResult);
      });
      child.send(command);
    });
    const bytes = Buffer.from(stdout);
    return { ...result, bytes, stdout: bytes.toString() };
  });
}
