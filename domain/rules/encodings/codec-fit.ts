/** Decides which codecs a Destination can carry, over everything that a Live stream binds together. */
import type { Encoding } from '../../shapes/encodings/encoding.ts';
import { lightOf } from '../../shapes/encodings/light.ts';
import type { FieldIssue } from '../../base/errors.ts';
import type { Livestream } from '../../shapes/broadcasts/livestream.ts';
import type { Publishing } from '../../shapes/destinations/publishing.ts';
import type { Lookup } from '../../ports/resource.ts';
import type { View } from '../../ports/store.ts';
import { boundEncodings, boundPublishings, type Binding } from '../broadcasts/bindings.ts';
import { called } from '../../base/sentence.ts';
import { HDR_TYPES, typesCarrying, videoNotCarried } from '../../types/destination-questions.ts';
import { DESTINATION_ROWS, NOT_IN_TS, type PublishingType } from '../../types/destination-types.ts';

function soundNotCarried(type: PublishingType, video: string | undefined): readonly string[] {
  const { audio, audioBesideHevc } = DESTINATION_ROWS[type].notCarried;
  return video === 'hevc' ? audioBesideHevc : audio;
}

export function codecFitIssues(lookup: Lookup, binding: Binding, field: string, where = ''): FieldIssue[] {
  const encodings = boundEncodings(lookup, binding);
  return boundPublishings(lookup, binding).flatMap((publishing) => [
    ...encodings
      .filter(({ settings_video: { active, codec } }) => active && videoNotCarried(publishing).includes(codec))
      .map((encoding) => {
        const { codec } = encoding.settings_video;
        const allowed = typesCarrying(codec);
        const asMp4 = NOT_IN_TS.includes(codec) ? ' (Record as mp4)' : '';
        const message =
          `${codec.toUpperCase()} of ${called('Encoding', encoding)} cannot be carried by ${called('Publishing', publishing)} ` +
          `of type ${publishing.type}${where}; use a Publishing of type ${allowed.join(', ')}${asMp4}, or an Encoding of h264`;
        return { field, code: 'incompatible', message, allowed };
      }),
    ...encodings.flatMap((encoding) => lightIssue(publishing, encoding, field, where) ?? []),
    ...encodings.flatMap((encoding) => soundIssue(publishing, encoding, field, where) ?? []),
  ]);
}

function lightIssue(publishing: Publishing, encoding: Encoding, field: string, where: string): FieldIssue | undefined {
  const { settings_video: video } = encoding;
  if (!video.active || lightOf(video) === 'sdr' || HDR_TYPES.includes(publishing.type)) return undefined;
  const message =
    `${video.hdr_mode} of ${called('Encoding', encoding)} cannot be carried by ${called('Publishing', publishing)} of type ${publishing.type}${where}, ` +
    'which shows all pictures as SDR; use an Encoding with hdr_mode off, or a Publishing of another type';
  return { field, code: 'incompatible', message, allowed: HDR_TYPES };
}

function soundIssue(publishing: Publishing, encoding: Encoding, field: string, where: string): FieldIssue | undefined {
  const { settings_video: video, settings_audio: audio } = encoding;
  const picture = video.active ? video.codec : undefined;
  if (!audio.active || !soundNotCarried(publishing.type, picture).includes(audio.codec)) return undefined;
  const beside = picture === 'hevc' ? ' beside hevc' : '';
  const message =
    `${audio.codec} of ${called('Encoding', encoding)} cannot be carried${beside} by ${called('Publishing', publishing)} of type ${publishing.type}${where}; ` +
    'use mp4a sound, or a Publishing of another type';
  return { field, code: 'incompatible', message, allowed: ['mp4a'] };
}

type Source = 'encodings' | 'encodingGroups' | 'publishings' | 'publishingGroups';

/** Findings for each Live stream that would be broken by the change of one row; `changed` is the view with that row written. */
export function dependentFitIssues(
  view: View,
  changed: Lookup,
  source: Source,
  id: number | undefined,
  field: string,
): FieldIssue[] {
  if (id === undefined) return [];
  return dependents(view, source, id).flatMap((livestream) =>
    codecFitIssues(changed, livestream, field, ` in ${called('Live stream', livestream)}`),
  );
}

const FIELDS = {
  encodings: { single: 'encodingId', groups: 'encodingGroups' },
  publishings: { single: 'publishingId', groups: 'publishingGroups' },
} as const;

function dependents(view: View, source: Source, id: number): readonly Readonly<Livestream>[] {
  if (source === 'encodingGroups') return view.find('livestreams', { where: { encodingGroupId: id } }).rows;
  if (source === 'publishingGroups') return view.find('livestreams', { where: { publishingGroupId: id } }).rows;
  const { single, groups } = FIELDS[source];
  const holding = view.find(groups, {}).rows.filter((group) => group.elements.includes(id));
  return [
    ...view.find('livestreams', { where: { [single]: id } }).rows,
    ...holding.flatMap((group) => dependents(view, groups, group.id)),
  ];
}
