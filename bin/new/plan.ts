/** The plan of a set-up, for the person to agree to, and the command that does the same again. */
import { maskDeliveryUrl, maskUrl } from '../../domain/schema.ts';
import { shellWord } from '../output/shell.ts';
import { sayTime } from '../times.ts';
import { templateOf, type NewAnswers, type SentTimes } from './answers.ts';

/** A line for each answer. */
export function planOf(answers: NewAnswers, { start_at, end_at, recurrence, timezone = 'UTC' }: SentTimes): string[] {
  const { name, source, to, url, quality, record } = answers;
  const template = templateOf(to!);
  const address = url ?? (template === undefined ? to : template.url);
  const at = (instant: string): string => sayTime(Date.parse(instant), timezone);
  const again = recurrence === undefined || recurrence === 'none' ? 'once' : recurrence;
  const when = start_at === undefined ? [] : [['When', `${at(start_at)} to ${at(end_at!)}, ${again}`]];
  const rows = [
    ...(name === undefined ? [] : [['Name', name]]),
    ['Source', maskUrl(source!)],
    ['Where to', [template?.name, address == null ? undefined : maskDeliveryUrl(address)].filter(Boolean).join(', ')],
    ['Quality', quality ?? '720p, or as the file'],
    ['Recorded', record === true ? 'yes' : 'no'],
    ...when,
    ['Started now', isStarted(answers) ? 'yes' : 'no'],
  ];
  return rows.map(([head = '', text = '']) => `  ${head.padEnd(12)} ${text}`);
}

/** A broadcast with a time of its own is not started before it, unless somebody says so. */
function isStarted({ start, when }: NewAnswers): boolean {
  return start ?? when === undefined;
}

/** The command that does the same; a key is never part of it, and a password in an address is left out. */
export function commandOf({ typedKey, key, keyFile, ...answers }: NewAnswers): string {
  const flag = (name: string, value: string | undefined): string[] =>
    value === undefined ? [] : [`--${name} ${shellWord(value)}`];
  const { name, source, to, url, quality, record, when, end, recurrence, start } = answers;
  return [
    'onair new',
    ...flag('name', name),
    ...flag('source', source && maskUrl(source)),
    ...flag('to', to?.includes('://') === true ? maskDeliveryUrl(to) : to),
    ...flag('url', url && maskDeliveryUrl(url)),
    ...(keyFile === undefined ? ((typedKey ?? key) === undefined ? [] : ['--key -']) : flag('key-file', keyFile)),
    ...flag('quality', quality),
    ...(record === true ? ['--record'] : []),
    ...flag('when', when),
    ...flag('end', end),
    ...(recurrence === 'none' ? [] : flag('recurrence', recurrence)),
    ...(start === undefined ? [] : [start ? '--start' : '--no-start']),
  ].join(' ');
}
