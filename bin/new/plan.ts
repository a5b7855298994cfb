/** The plan of a set-up, for the person to agree to, and the command that does the same. */
import { maskDeliveryUrl, maskUrl } from '../../domain/base/schema.ts';
import { shellWord } from '../output/shell.ts';
import { sayTime } from '../times.ts';
import type { NewAnswers, SentTimes } from './answers.ts';

/** A line for each answer. */
export function planOf(answers: NewAnswers, { start_at, end_at, recurrence, timezone = 'UTC' }: SentTimes): string[] {
  const { name, source, destinations, quality, record } = answers;
  const at = (instant: string): string => sayTime(Date.parse(instant), timezone);
  const again = recurrence === undefined || recurrence === 'none' ? 'once' : recurrence;
  const when = start_at === undefined ? [] : [['When', `${at(start_at)} to ${at(end_at!)}, ${again}`]];
  const rows = [
    ...(name === undefined ? [] : [['Name', name]]),
    ['Source', maskUrl(source!)],
    ...destinations.map((each, at) => [at === 0 ? 'Where to' : 'and to', placeOf(each)]),
    ['Quality', quality ?? '720p, or as the file'],
    ['Recorded', record === true ? 'yes' : 'no'],
    ...when,
    ['Started now', isStarted(answers) ? 'yes' : 'no'],
  ];
  return rows.map(([head = '', text = '']) => `  ${head.padEnd(12)} ${text}`);
}

function placeOf({ to, template, url }: NewAnswers['destinations'][number]): string {
  const address = url ?? (template === undefined ? to : template.url);
  return [template?.name, address == null ? undefined : maskDeliveryUrl(address)].filter(Boolean).join(', ');
}

/** A broadcast with a time of its own is not started before it, unless somebody says so. */
function isStarted({ start, when }: NewAnswers): boolean {
  return start ?? when === undefined;
}

/** The command that does the same; a key is never part of it, and a password in an address is left out. */
export function commandOf({ destinations, key, ...answers }: NewAnswers): string {
  const flag = (name: string, value: string | undefined): string[] =>
    value === undefined ? [] : [`--${name} ${shellWord(value)}`];
  const { name, source, quality, record, when, end, recurrence, start } = answers;
  const isKeyRead = key !== undefined || destinations.some(({ typedKey }) => typedKey !== undefined);
  return [
    'onair new',
    ...flag('name', name),
    ...flag('source', source && maskUrl(source)),
    ...destinations.flatMap(({ to, url, keyFile }) => {
      const shown = to.includes('://') ? maskDeliveryUrl(to) : to;
      const own = destinations.length > 1 ? `${shown}=` : '';
      return [
        ...flag('to', shown),
        ...flag('url', url && `${own}${maskDeliveryUrl(url)}`),
        ...flag('key-file', keyFile && `${own}${keyFile}`),
      ];
    }),
    ...(isKeyRead ? ['--key -'] : []),
    ...flag('quality', quality),
    ...(record === true ? ['--record'] : []),
    ...flag('when', when),
    ...flag('end', end),
    ...(recurrence === 'none' ? [] : flag('recurrence', recurrence)),
    ...(start === undefined ? [] : [start ? '--start' : '--no-start']),
  ].join(' ');
}
