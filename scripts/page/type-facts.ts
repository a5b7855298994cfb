/** Lists of the types of Channels and Destinations for the page, their names and those of planned actions on it, from their rows; the ends of events. */
import { ENDS, ENDS_ANY, OFF, SUBJECTS } from '../../domain/rules/rows/event-ends.ts';
import { ACTIONS } from '../../domain/shapes/schedules/planned-action.ts';
import type { TypeLabel } from '../../domain/types/type-needs.ts';
import { FIXED_TYPES } from '../../domain/types/channel-questions.ts';
import { CHANNEL_ROWS, CHANNEL_TYPES } from '../../domain/types/channel-types.ts';
import { KEYED_TYPES, ownersOf, PACKAGED_TYPES } from '../../domain/types/destination-questions.ts';
import { DESTINATION_ROWS, PUBLISHING_TYPES, type PublishingType } from '../../domain/types/destination-types.ts';

type Language = keyof TypeLabel;

/** Text by path. */
export function typeFiles(): Map<string, string> {
  const useOf = (type: PublishingType): string => DESTINATION_ROWS[type].use;
  const uses = new Set(PUBLISHING_TYPES.map(useOf));
  const byUse = [...uses].map((use) => [use, PUBLISHING_TYPES.filter((type) => useOf(type) === use)] as const);
  const facts = [
    list('FIXED_TYPES', 'Channels that a broadcast on air cannot be switched to.', FIXED_TYPES),
    list('CLOUD_TYPES', 'Channels that are shown under the heading of the Cloud.', headed('cloud')),
    list('KEYED_TYPES', 'Destinations that have a stream key.', KEYED_TYPES),
    list('PACKAGED_TYPES', 'Destinations that viewers play.', PACKAGED_TYPES),
    list('HLS_TYPES', 'Destinations that are played by HLS.', playedByHls()),
    list('SRT_TYPES', 'Destinations that have options of SRT.', ownersOf('srt')),
    `/** Types of Destinations by what they are used for. */\nexport const USES = ${JSON.stringify(Object.fromEntries(byUse))} as const;\n`,
  ];
  return new Map([
    ['web/gen/types.ts', facts.join('\n')],
    ['web/gen/event-ends.ts', eventEnds()],
    ['web/gen/labels/en.ts', labels('en')],
    ['web/gen/labels/es.ts', labels('es')],
  ]);
}

function list(name: string, what: string, types: readonly string[]): string {
  return `/** ${what} */\nexport const ${name}: readonly string[] = ${JSON.stringify(types)};\n`;
}

function eventEnds(): string {
  const ends =
    '/** The kinds that last, by the events that end them. */\nexport const ENDS: Readonly<Record<string, readonly string[]>>';
  return [
    `${ends} = ${JSON.stringify(ENDS)};\n`,
    list('ENDS_ANY', 'They end what there was, whatever it was about.', ENDS_ANY),
    list('OFF', 'Nothing of a Live stream that is off lasts.', OFF),
    list('SUBJECTS', 'The members of the data that say what an event is about.', SUBJECTS),
  ].join('\n');
}

function headed(heading: string): string[] {
  return CHANNEL_TYPES.filter((type) => CHANNEL_ROWS[type].heading === heading);
}

function playedByHls(): string[] {
  return PUBLISHING_TYPES.filter((type) => DESTINATION_ROWS[type].packaged?.hls === true);
}

function labels(language: Language): string {
  const channels = CHANNEL_TYPES.map((type) => [type, CHANNEL_ROWS[type].label[language]] as const);
  const destinations = PUBLISHING_TYPES.map((type) => [type, DESTINATION_ROWS[type].label[language]] as const);
  const actions = (column: 'label' | 'title'): string =>
    JSON.stringify(Object.fromEntries(Object.entries(ACTIONS).map(([type, row]) => [type, row[column][language]])));
  return [
    `export const CHANNEL_LABELS = ${JSON.stringify(Object.fromEntries(channels))};`,
    `export const DESTINATION_LABELS = ${JSON.stringify(Object.fromEntries(destinations))};`,
    '/** Planned actions, beside their instant and as titles. */',
    `export const ACTION_LABELS = ${actions('label')};`,
    `export const ACTION_TITLES = ${actions('title')};\n`,
  ].join('\n');
}
