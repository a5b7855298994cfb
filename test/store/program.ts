/** Programs of the tests in processes of their own, told by lines of JSON on stdout. None outlives its test. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import { cleanUp } from '../helpers/clean-up.ts';
import { programArguments } from '../helpers/program.ts';

export class Program<Said> {
  readonly pid: number;
  private readonly child: ChildProcess;
  private readonly lines: AsyncIterator<string>;
  private readonly gone: Promise<unknown>;
  private stderr = '';

  /** `name` is that of a file in fixtures/. `command` comes before node: `unshare` with its options, a shell that sets a limit. */
  constructor(t: TestContext, name: string, args: readonly string[], command: readonly string[] = []) {
    const entry = programArguments(new URL(`fixtures/${name}.ts`, import.meta.url));
    const [program, ...rest] = [...command, process.execPath, ...entry, ...args];
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

  /** Its output from now to its end. */
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
