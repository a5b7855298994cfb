/** Commands that check whether each flag has its value: commander itself takes whatever word comes next, even another flag. */
import { Command, type Option } from 'commander';
import { invalidInput } from '../domain/base/errors.ts';
import { EXIT } from './exit-codes.ts';

/** The complaint about a flag without its value; undefined where the next word is a value. `flags` are the flags that could come next. */
export function missingValue(
  flag: string,
  next: string | undefined,
  flags: readonly string[] = [],
): string | undefined {
  if (next === undefined || next === '') return `${flag} needs a value`;
  if (!next.startsWith('--') && !flags.includes(next)) return undefined;
  return `${flag} needs a value; ${next} is the next flag. Write ${flag} <value>, or ${flag}=<value> where the value begins with a dash`;
}

/** The value of a flag that takes one of some words. Throws AppError invalid_input. */
export function choiceOf<T extends string>(flag: string, value: string, choices: readonly T[]): T {
  const choice = choices.find((each) => each === value);
  if (choice !== undefined) return choice;
  const message = `must be one of ${choices.join(', ')}; it was ${JSON.stringify(value)}`;
  throw invalidInput([{ field: flag, code: 'invalid_value', message, allowed: choices }]);
}

type ErrorOptions = Parameters<Command['error']>[1];
type HelpContext = { error: boolean } | ((text: string) => string);

export class ProgramCommand extends Command {
  private endsAtOperand = false;
  private readonly shown: string[] = [];

  override createCommand(name?: string): ProgramCommand {
    return new ProgramCommand(name);
  }

  override passThroughOptions(passes = true): this {
    this.endsAtOperand = passes;
    return super.passThroughOptions(passes);
  }

  override parseOptions(words: string[]): ReturnType<Command['parseOptions']> {
    const problem = this.problemIn(words);
    if (problem !== undefined) this.error(`error: ${problem}`);
    return super.parseOptions(words);
  }

  /** A call of the command, for its help, its manual page and docs/cli.md. */
  example(...calls: string[]): this {
    this.shown.push(...calls);
    return this;
  }

  get examples(): readonly string[] {
    return this.shown;
  }

  override helpInformation(context?: { error: boolean }): string {
    const help = super.helpInformation(context);
    return this.shown.length === 0 ? help : `${help}\n${this.examplesText()}\n`;
  }

  examplesText(): string {
    return `${this.shown.length > 1 ? 'Examples' : 'Example'}:\n${this.shown.map((call) => `  ${call}`).join('\n')}`;
  }

  override error(message: string, options?: ErrorOptions): never {
    super.error(message, { ...options, exitCode: EXIT.usage });
  }

  /** Help that answers a wrong call goes to stderr. */
  override outputHelp(context?: HelpContext): void {
    if (typeof context === 'object' && context.error) process.exitCode = EXIT.usage;
    super.outputHelp(context as { error: boolean });
  }

  /** The words of this command end where those of a subcommand begin. */
  private problemIn(words: readonly string[]): string | undefined {
    const rest = [...words];
    for (let word = rest.shift(); word !== undefined && word !== '--'; word = rest.shift()) {
      if (!word.startsWith('-') && (this.endsAtOperand || this.commands.length > 0)) return undefined;
      const [flag = '', ...inline] = word.split('=');
      if (this.optionOf(flag)?.required !== true) continue;
      const problem =
        inline.length > 0
          ? missingValue(flag, inline.join('=') && 'given')
          : missingValue(flag, rest.shift(), this.flags());
      if (problem !== undefined) return problem;
    }
    return undefined;
  }

  private optionOf(flag: string): Option | undefined {
    return this.options.find(({ long, short }) => flag === long || flag === short);
  }

  private flags(): string[] {
    const own = this.options.flatMap(({ long, short }) => [long, short]);
    return ['-h', ...own].filter((flag) => flag !== undefined && flag !== null);
  }
}
