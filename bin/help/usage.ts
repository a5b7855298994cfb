/** `onair call <operation> --help` shows what an operation does, the fields that it takes, and a call of it. */
import { restOf, type Tool } from '../../toolkit/tool.ts';
import { paint, screenOf, type Screen } from '../output/screen.ts';
import { exampleCommand } from './example.ts';
import { fieldsOf, type TypedField } from './fields.ts';
import { wrapped } from './wrap.ts';

/** A line is as long as a reader follows it, also where the other end is no terminal. */
const MAX_WIDTH = 120;
const MAX_FLAG_LETTERS = 38;

export function usageOf(tool: Tool, screen: Screen = screenOf()): string {
  const width = Math.min(screen.width ?? MAX_WIDTH, MAX_WIDTH);
  const fields = fieldsOf(tool);
  const flags = fields.map(flagOf);
  const column = Math.min(MAX_FLAG_LETTERS, Math.max(0, ...flags.map((flag) => flag.length))) + 4;
  const rows = fields.map((field, at) => {
    const flag = `  ${flags[at]}`;
    const text = wrapped(aboutOf(field), width - column, ' '.repeat(column));
    return flag.length > column - 2 ? `${flag}\n${' '.repeat(column)}${text}` : `${flag.padEnd(column)}${text}`;
  });
  return [
    wrapped(`${tool.name} (${restOf(tool)}): ${tool.summary}`, width, '').replace(
      tool.name,
      paint(tool.name, 'head', screen),
    ),
    wrapped(tool.description, width, ''),
    fields.length === 0 ? 'It takes no fields.' : `Fields:\n${rows.join('\n')}`,
    `Example:\n  ${exampleCommand(tool)}`,
  ].join('\n\n');
}

function flagOf({ path, type }: TypedField): string {
  return `--${path} <${type}>`;
}

function aboutOf({ isNeeded, about, choices, default: initial }: TypedField): string {
  const parts = [
    ...(isNeeded ? ['Needed.'] : []),
    about,
    ...(choices ? [`One of: ${choices.join(', ')}.`] : []),
    ...(initial === undefined ? [] : [`Default: ${typeof initial === 'string' ? initial : JSON.stringify(initial)}.`]),
  ];
  return parts.filter((part) => part !== '').join(' ');
}
