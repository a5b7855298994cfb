/** `onair new`: one call of setUpBroadcast, and the same call as a command for the next time. */
import { invalidInput } from '../../domain/errors.ts';
import type { TemplateWarning } from '../../domain/rules/template-warnings.ts';
import { callServer, type Arguments } from '../client/call.ts';
import { target } from '../target.ts';
import { printOne } from '../output/format.ts';
import { paint, screenOf } from '../output/screen.ts';
import { oneLine } from '../output/terminal.ts';
import { sendFile } from '../upload.ts';
import { keyOf, missingOf, templateOf, timesOf, type NewAnswers, type NewFlags } from './answers.ts';
import { sourceNamed, type Source } from './source.ts';
import { askFor, isConfirmed, isTerminal } from './wizard.ts';

interface Outcome {
  name: string;
  message: string;
  on_air: boolean;
  steps: { operationId: string; state: string; name: string | null; detail: string }[];
  warnings: TemplateWarning[];
  watch: { url: string }[];
}

export async function setUpNew(flags: NewFlags): Promise<void> {
  const asks = isTerminal() && flags.key !== '-';
  const answers = asks ? await askFor(flags) : flags;
  const missing = missingOf(answers);
  if (missing.length > 0) throw invalidInput(missing);
  const source = await sourceNamed(answers.source!);
  const times = await timesOf(answers);
  const stream_key = await keyOf(answers);
  if (asks && answers.yes !== true && answers.dryRun !== true && !(await isConfirmed(planOf(answers, times)))) return;
  const args = { ...argumentsOf(answers), ...times, ...(stream_key !== undefined && { stream_key }) };
  const { data } = await send(source, args);
  for (const { message } of data.warnings) process.stderr.write(`onair: ${oneLine(message)}\n`);
  await printOne(data, sayOutcome, flags);
  process.stderr.write(`The same again: ${commandOf(answers)}\n`);
}

function argumentsOf({ name, to, url, quality, record, start, dryRun }: NewAnswers): Arguments {
  const template = templateOf(to!);
  const address = url ?? (template === undefined ? to : undefined);
  return {
    ...(name !== undefined && { name }),
    ...(template !== undefined && { template: template.id }),
    ...(address !== undefined && { url: address }),
    ...(quality !== undefined && { quality }),
    ...(record === true && { record }),
    ...(start !== undefined && { start }),
    ...(dryRun === true && { dry_run: true }),
  };
}

async function send(source: Source, args: Arguments): Promise<{ data: Outcome }> {
  if (!('file' in source)) {
    const { name: _name, ...named } = { name: '', ...source };
    return callServer('setUpBroadcast', { ...args, ...named });
  }
  const fields = Object.fromEntries(Object.entries(args).map(([name, value]) => [name, String(value)]));
  return (await sendFile(target(), '/setUp', fields, source.file)) as { data: Outcome };
}

function sayOutcome({ message, on_air, steps, watch }: Outcome): string {
  const lines = steps
    .filter(({ state }) => state !== 'skipped')
    .map(
      ({ operationId, state, name, detail }) =>
        `  ${state === 'done' ? '✓' : '✗'} ${operationId} ${name ?? ''}: ${detail}`,
    );
  return [
    paint(oneLine(message), on_air ? 'good' : undefined, screenOf()),
    ...lines.map(oneLine),
    ...watch.map(({ url }) => `Watch ${url}`),
  ].join('\n');
}

function planOf(answers: NewAnswers, { start_at, end_at, timezone }: Record<string, string>): string {
  const { source, to, quality, record, start } = answers;
  const when = start_at === undefined ? '' : `, on air from ${start_at} to ${end_at} (zone ${timezone})`;
  const begin = start === false || (start === undefined && start_at !== undefined) ? '' : ', started now';
  return oneLine(
    `${source} → ${templateOf(to!)?.name ?? to}, ${quality ?? 'no larger than the source'}${record === true ? ', recorded' : ''}${when}${begin}`,
  );
}

/** The command that does the same; a key is never part of it. */
function commandOf({ typedKey, key, keyFile, ...answers }: NewAnswers): string {
  const word = (text: string): string => (/^[\w./:@+-]+$/u.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);
  const flag = (name: string, value: string | undefined): string[] =>
    value === undefined ? [] : [`--${name} ${word(value)}`];
  const { name, source, to, url, quality, record, when, end, recurrence, start } = answers;
  return [
    'onair new',
    ...flag('name', name),
    ...flag('source', source),
    ...flag('to', to),
    ...flag('url', url),
    ...(keyFile === undefined ? ((typedKey ?? key) === undefined ? [] : ['--key -']) : flag('key-file', keyFile)),
    ...flag('quality', quality),
    ...(record === true ? ['--record'] : []),
    ...flag('when', when),
    ...flag('end', end),
    ...(recurrence === 'none' ? [] : flag('recurrence', recurrence)),
    ...(start === undefined ? [] : [start ? '--start' : '--no-start']),
  ].join(' ');
}
