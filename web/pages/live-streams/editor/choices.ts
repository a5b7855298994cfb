/** The choices that the pickers of the editor offer, and the fields that a choice sets. */
import type { Option } from '../../../ui/combobox/combobox.tsx';
import { words } from '../words.ts';
import type { Parts } from '../list/parts.ts';

/** Two fields of which one is set: a thing, or a group of them. */
export interface Choice {
  field: string;
  id: number;
}

export const PAIRS = {
  source: ['channelId'],
  encoding: ['encodingId', 'encodingGroupId'],
  destination: ['publishingId', 'publishingGroupId'],
  where: ['deviceId', 'idEncoderGroup'],
} as const;
export type CardName = keyof typeof PAIRS;

interface Row {
  id: number;
  name: string;
}

/** The rows on offer for each field of a card. */
function listsOf(parts: Parts): Record<string, ReadonlyMap<number, Row>> {
  return {
    channelId: parts.sources,
    encodingId: parts.encodings,
    encodingGroupId: parts.ladders,
    publishingId: parts.outlets,
    publishingGroupId: parts.outletGroups,
    deviceId: parts.devices,
    idEncoderGroup: parts.deviceGroups,
  };
}

function videoText(parts: Parts, id: number): string {
  const video = parts.encodings.get(id)?.settings_video;
  if (video === undefined) return '';
  const lines = video.height === null ? '' : ` ${video.height}p`;
  return video.codec === 'copy' ? 'copy' : `${video.codec}${lines}, ${(video.bitrate / 1000).toFixed(1)} Mbit/s`;
}

/** The words that a person knows a thing by, beside its name. */
export function detailsOf(parts: Parts, { field, id }: Choice): string {
  const w = words.value;
  const names = (ids: readonly number[], lists: ReadonlyMap<number, Row>): string =>
    ids.map((each) => lists.get(each)?.name ?? `${each}`).join(', ');
  switch (field) {
    case 'channelId':
      return parts.sources.get(id)?.type ?? '';
    case 'encodingId':
      return videoText(parts, id);
    case 'encodingGroupId':
      return w.groupOf(names(parts.ladders.get(id)?.elements ?? [], parts.encodings));
    case 'publishingId':
      return parts.outlets.get(id)?.type ?? '';
    case 'publishingGroupId':
      return w.groupOf(names(parts.outletGroups.get(id)?.elements ?? [], parts.outlets));
    case 'idEncoderGroup':
      return w.group;
    default:
      return '';
  }
}

export function optionsOf(parts: Parts, card: CardName): Option<Choice | undefined>[] {
  const lists = listsOf(parts);
  const found = PAIRS[card].flatMap((field) =>
    [...(lists[field] ?? [])].map(([id, { name }]) => {
      const value = { field, id };
      return { value, label: name, details: detailsOf(parts, value) };
    }),
  );
  // A place need not be named.
  return card === 'where' ? [{ value: undefined, label: words.value.anyDevice }, ...found] : found;
}

/** The choice of a card as the form has it. */
export function choiceIn(values: Readonly<Record<string, unknown>>, card: CardName): Choice | undefined {
  const field = PAIRS[card].find((name) => typeof values[name] === 'number');
  return field === undefined ? undefined : { field, id: values[field] as number };
}

/** `made` has the names of what was made in place, until the lists have it. */
export function choiceText(parts: Parts, choice: Choice | undefined, made: ReadonlyMap<string, string>): string {
  if (choice === undefined) return '';
  const { field, id } = choice;
  return listsOf(parts)[field]?.get(id)?.name ?? made.get(`${field} ${id}`) ?? `${id}`;
}
