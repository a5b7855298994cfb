/** `onair new`: one call of setUpBroadcast, and the same call as a command for the next time. */
import { invalidInput } from '../../domain/base/errors.ts';
import type { SourceProbe } from '../../domain/shapes/sources/probe.ts';
import type { TemplateWarning } from '../../domain/rules/encodings/template-warnings.ts';
import { callServer, type Arguments } from '../client/call.ts';
import { target } from '../settings/target.ts';
import { printOne } from '../output/format.ts';
import { paint, screenOf } from '../output/screen.ts';
import { shellWord } from '../output/shell.ts';
import { oneLine } from '../output/terminal.ts';
import { sendFile } from '../upload.ts';
import { answersOf, missingAnswers, timesOf, type NewAnswers, type NewFlags } from './answers.ts';
import { keysOf, type Destination } from './destinations.ts';
import { commandOf, planOf } from './plan.ts';
import { askYesNo, isTerminal, tell } from './questions.ts';
import { lookAt, lookOf, sourceNamed, type Source } from './source.ts';
import { askFor, type Asked } from './wizard.ts';

interface Outcome {
  name: string;
  message: string;
  on_air: boolean;
  steps: { operationId: string; state: string; name: string | null; detail: string }[];
  made: { channelId: number | null };
  source?: { message: string; probe: SourceProbe | null } | null;
  warnings: TemplateWarning[];
  watch: { url: string }[];
}

export async function setUpNew(flags: NewFlags): Promise<void> {
  const asks = isTerminal();
  const { answers, source } = asks ? await askFor(answersOf(flags)) : await givenBy(answersOf(flags));
  const times = await timesOf(answers);
  const args: Arguments = { ...argumentsOf(answers, await keysOf(answers.destinations, answers.key)), ...times };
  if (asks && answers.dryRun !== true) {
    const isAgreed = answers.yes === true || (await isConfirmed(source, args, planOf(answers, times)));
    if (!isAgreed) return tell('Nothing was set up.');
    if (args['start'] !== false && times.start_at === undefined) tell('Setting it up and starting it …');
  }
  const { data } = await send(source, args);
  if (data.source != null) lookOf(data.source).lines.forEach(warn);
  for (const { message } of data.warnings) warn(message);
  await printOne(data, (outcome) => sayOutcome(outcome, source), flags);
  tell(`As one command: ${commandOf(answers)}`);
  if (answers.dryRun !== true) tell(`The next time: onair start ${shellWord(data.name)}`);
}

/** Flags alone: one that is missing is refused, and a silent source is warned about. */
async function givenBy(answers: NewAnswers): Promise<Asked> {
  const missing = missingAnswers(answers);
  if (missing.length > 0) throw invalidInput(missing);
  const source = await sourceNamed(answers.source!);
  // A dry run looks at it itself, and a file is looked at when it has come.
  if (answers.dryRun === true || 'file' in source) return { answers, source, look: undefined };
  const look = await lookAt(source);
  look?.lines.forEach(warn);
  return { answers, source, look };
}

function warn(text: string): void {
  tell(`onair: ${text}`);
}

/** Shows the plan, and what the platform may refuse; a file is not sent for it. */
async function isConfirmed(source: Source, args: Arguments, plan: readonly string[]): Promise<boolean> {
  if (!('file' in source)) {
    const { data } = await send(source, { ...args, dry_run: true, wait_seconds: 0 });
    for (const { message } of data.warnings) warn(message);
  }
  tell('The plan:');
  // A line of it is one line already, and begins with spaces.
  plan.forEach(tell);
  return askYesNo('Set it up?', true);
}

function argumentsOf(answers: NewAnswers, keys: ReadonlyMap<Destination, string>): Arguments {
  const { name, quality, record, start, dryRun } = answers;
  const destinations = answers.destinations.map((each) => {
    const { to, template, url = template === undefined ? to : undefined } = each;
    const stream_key = keys.get(each);
    return {
      ...(template !== undefined && { template: template.id }),
      ...(url !== undefined && { url }),
      ...(stream_key !== undefined && { stream_key }),
    };
  });
  return {
    ...(name !== undefined && { name }),
    ...(destinations.length === 1 ? destinations[0] : { destinations }),
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
  const textOf = (value: unknown): string => (Array.isArray(value) ? JSON.stringify(value) : String(value));
  const fields = Object.fromEntries(Object.entries(args).map(([name, value]) => [name, textOf(value)]));
  return (await sendFile(target(), '/setUp', fields, source.file)) as { data: Outcome };
}

function sayOutcome({ message, on_air, steps, made, watch }: Outcome, source: Source): string {
  const lines = steps
    .filter(({ state }) => state !== 'skipped')
    .map(
      ({ operationId, state, name, detail }) =>
        `  ${state === 'done' ? '✓' : '✗'} ${operationId} ${name ?? ''}: ${detail}`,
    );
  const isPushed = 'ingest' in source && made.channelId !== null;
  return [
    paint(oneLine(message), on_air ? 'good' : undefined, screenOf()),
    ...lines.map(oneLine),
    ...(isPushed
      ? [`What goes into the encoder, with its key: onair call revealIngestKey --channelId ${made.channelId}`]
      : []),
    ...watch.map(({ url }) => `Watch ${url}`),
  ].join('\n');
}
