/** The help of each operation follows from its schema: its types, values, defaults, and an example that holds. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, it } from 'node:test';
import operationsTree from '../../bin/gen/operations.json' with { type: 'json' };
import { parseArguments } from '../../bin/client/arguments.ts';
import type { ProgramCommand } from '../../bin/command.ts';
import { exampleCommand } from '../../bin/help/example.ts';
import { usageOf } from '../../bin/help/usage.ts';
import { program } from '../../bin/program.ts';
import { wrapped } from '../../bin/help/wrap.ts';
import { operations } from '../../tools/index.ts';
import { parseInput } from '../../toolkit/input/input.ts';
import { toJsonSchema, type JsonSchema } from '../../toolkit/input/json-schema.ts';
import { workflows } from '../../workflows/index.ts';

const TOOLS = [...operations, ...workflows];
const WIDE = { width: 10_000, hasColours: false };

/** The values of each field whose schema names them, by the flag that is typed. */
function enumsOf(schema: JsonSchema, path = '--'): [flag: string, values: string[]][] {
  return Object.entries((schema['properties'] ?? {}) as Record<string, JsonSchema>).flatMap(([name, field]) => {
    const values = (field['enum'] ?? (field['items'] as JsonSchema | undefined)?.['enum']) as unknown[] | undefined;
    const own: [string, string[]][] =
      values === undefined ? [] : [[`${path}${name}`, values.filter((value) => value !== null).map(String)]];
    return [...own, ...enumsOf(field, `${path}${name}.`)];
  });
}

/** Each field on one line. */
const unwrapped = (usage: string): string => usage.replace(/\n {10,}/gu, ' ');

describe('the help of a command', () => {
  function* commandsIn(command: ProgramCommand, path = 'onair'): Generator<[string, ProgramCommand]> {
    yield [path, command];
    for (const one of command.commands as ProgramCommand[])
      if (command.createHelp().visibleCommands(command).includes(one)) yield* commandsIn(one, `${path} ${one.name()}`);
  }

  it('fits a line of 80 columns, and one that does something shows an example', () => {
    const commands = [...commandsIn(program)];
    assert.ok(commands.length > 45, `${commands.length} commands`);
    for (const [path, command] of commands) {
      const wide = command
        .helpInformation()
        .split('\n')
        .filter((line) => line.length > 80);
      assert.deepEqual(wide, [], path);
      if (command.commands.length === 0) assert.match(command.examples[0] ?? '', new RegExp(path, 'u'), path);
    }
  });
});

describe('the help of an operation', () => {
  it('has the values of each field that its schema has, no more and no fewer, and so has completion', () => {
    let fields = 0;
    for (const tool of TOOLS) {
      const shown = [
        ...unwrapped(usageOf(tool, WIDE)).matchAll(
          /^ {2}(--\S+) <choice(?:,…)?>.* One of: (.+?)\.(?: Default: .*)?$/gmu,
        ),
      ];
      const expected = enumsOf(toJsonSchema(tool.input));
      assert.deepEqual(
        shown.map(([, flag, values = '']) => [flag, values.split(', ')]),
        expected,
        tool.name,
      );
      const tree = (operationsTree as Record<string, { fields: Record<string, { choices?: string[] }> }>)[tool.name];
      for (const [flag, values] of expected) assert.deepEqual(tree?.fields[flag.slice(2)]?.choices, values, tool.name);
      fields += expected.length;
    }
    assert.ok(fields > 60, `${fields} fields`);
  });

  it('says which fields are needed, and the default of each that has one', () => {
    const usage = usageOf(
      TOOLS.find(({ name }) => name === 'addPublishing')!,
      WIDE,
    );
    assert.match(usage, /--name <text> +Needed\. /u);
    assert.match(usage, /--settings\.segment_duration <number> .* Default: 6\.$/mu);
  });

  it('ends with an example that a shell takes apart into arguments which the operation takes', () => {
    for (const tool of TOOLS) {
      const command = exampleCommand(tool);
      assert.ok(usageOf(tool, WIDE).endsWith(`Example:\n  ${command}`));
      const printed = execFileSync('sh', ['-c', `onair() { printf '%s\\0' "$@"; }; ${command}`], { encoding: 'utf8' });
      const [call, name, ...words] = printed.split('\0').slice(0, -1);
      assert.deepEqual([call, name], ['call', tool.name]);
      parseInput(tool.input, parseArguments(tool, words));
    }
  });

  it('no field has the name of a flag of onair call', () => {
    const own = ['json', 'output', 'watch', 'context', 'quiet', 'interval', 'help'];
    for (const tool of TOOLS)
      assert.deepEqual(
        Object.keys(tool.input.shape).filter((name) => own.includes(name)),
        [],
        tool.name,
      );
  });

  it('breaks its lines between words at the width of the terminal', () => {
    const text = wrapped('one two three four five six seven eight nine ten eleven', 24, '  ');
    assert.equal(text, 'one two three four five\n  six seven eight nine ten\n  eleven');
  });
});
