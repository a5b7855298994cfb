/** Programs of the tests in processes of their own, told by lines of JSON on stdout. None outlives its test. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { temporaryFolder } from './support.ts';
import { cleanUp } from '../helpers/clean-up.ts';

/** One file that starts in a quarter of the time that the loader takes, for programs that are started fifty times. */
export async function bundledProgram(t: TestContext, name: string): Promise<string> {
  const outfile = join(await temporaryFolder(t), `${name}.mjs`);
  const entry = fileURLToPath(new URL(`fixtures/${name}.ts`, import.meta.url));
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'error',
  });
  return outfile;
}

export class Program<Said> {
  readonly pid: number;
  private readonly child: ChildProcess;
  private readonly lines: AsyncIterator<string>;
  private readonly gone: Promise<unknown>;
  private stderr = '';

  /** `command` comes before node: `unshare` with its options, a shell that sets a limit. */
  constructor(t: TestContext, file: string, args: readonly string[], command: readonly string[] = []) {
    const [program, ...rest] = [...command, process.execPath, file, ...args];
    this.child = spawn(program!, rest, { stdio: ['pipe', 'pipe', 'pipe'] });
    this.gone = once(this.child, 'close');
    this.child.stderr!.on('data', (text: Buffer) => (this.stderr += text.toString()));
    this.lines = createInterface({ input: this.child.stdout! })[Symbol.asyncIterator]();
    this.pid = this.child.pid!;
    cleanUp(t, () => this.kill());
  }

  /** undefined when it has ended. */
  async next(): Promise<Said | undefined> {
    const { value, done } = await this.lines.next();
    return done === true ? undefined : (JSON.parse(value as string) as Said);
  }

  /** Throws, with what it wrote to stderr, when it ends instead. */
  async expect(): Promise<Said> {
    const message = await this.next();
    if (message === undefined) throw new Error(`The program ended: ${this.stderr}`);
    return message;
  }

  /** What it says from now to its end. */
  async rest(): Promise<Said[]> {
    const all: Said[] = [];
    for (let message = await this.next(); message !== undefined; message = await this.next()) all.push(message);
    return all;
  }

  tell(line: string): void {
    this.child.stdin!.write(`${line}\n`);
  }

  signal(name: NodeJS.Signals): void {
    this.child.kill(name);
  }

  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.gone;
  }

  async ended(): Promise<number | null> {
    await this.gone;
    return this.child.exitCode;
  }

  get errors(): string {
    return this.stderr;
  }
}
