/** What the event log says of a change of a Destination or of ad values: names of settings, never what they hold. */
import { isPlain } from '../../domain/schema.ts';
import type { AdValues, OutputSpec } from '../../domain/run.ts';

export function settingsSentence(before: OutputSpec, after: OutputSpec): string {
  const name = `Destination "${after.name}"`;
  const changed = changedNames(before.settings, after.settings);
  const others = changed.filter((field) => field !== 'stream_key');
  const retry = changedNames(before.retry, after.retry).length > 0 ? ['retry'] : [];
  const listed = [...others, ...retry].join(', ');
  if (changed.includes('stream_key'))
    return `${name} has a new stream key${listed === '' ? '' : `, and new settings: ${listed}`}.`;
  return listed === '' ? `${name} begins anew with the settings that it had.` : `${name} has new settings: ${listed}.`;
}

/** Dotted, for objects within. */
function changedNames(before: object, after: object): string[] {
  const [old, now] = [before, after] as [Record<string, unknown>, Record<string, unknown>];
  return Object.keys(now).flatMap((field) => {
    const [a, b] = [old[field], now[field]];
    if (isPlain(a) && isPlain(b)) return changedNames(a, b).map((inner) => `${field}.${inner}`);
    return JSON.stringify(a) === JSON.stringify(b) ? [] : [field];
  });
}

const AD_VALUES: Record<keyof AdValues, string> = {
  default_ad_duration: 'by default',
  max_ad_duration: 'at most',
  next_ad_duration: 'the next one',
};

export function adValuesSentence(values: Partial<AdValues>): string {
  const said = (Object.keys(AD_VALUES) as (keyof AdValues)[])
    .filter((field) => values[field] !== undefined)
    .map((field) => `${AD_VALUES[field]} ${values[field] === null ? 'none' : `${values[field]} s`}`);
  return `Ad durations are set: ${said.join(', ')}.`;
}
