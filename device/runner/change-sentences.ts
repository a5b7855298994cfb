/** What the event log says of a change of a Destination or of ad values: names of settings, never what they hold. */
import { changedNames, sayChanged } from '../../domain/changed-names.ts';
import type { AdValues, OutputSpec } from '../../domain/run.ts';

export function settingsSentence(previous: OutputSpec, changed: OutputSpec): string {
  const retry = changedNames(previous.retry, changed.retry).length > 0 ? ['retry'] : [];
  const said = sayChanged([...changedNames(previous.settings, changed.settings), ...retry]);
  return `Destination "${changed.name}" ${said === undefined ? 'begins anew with the settings that it had' : `has ${said}`}.`;
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
