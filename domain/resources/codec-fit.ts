/** Which video codecs a Destination can carry, over everything that a Live stream binds together. */
import type { FieldIssue } from '../errors.ts';
import type { Livestream } from '../livestream.ts';
import { PUBLISHING_TYPES, type Publishing } from '../publishing.ts';
import type { Lookup } from '../resource.ts';
import type { View } from '../store.ts';
import { boundEncodings, boundPublishings, type Binding } from './bindings.ts';

/**
 * MPEG-TS has no stream type for AV1 or VP9 (ISO/IEC 13818-1), and RTMP no code for them before Enhanced RTMP. SRT and STREAM carry
 * MPEG-TS; so does a Record in the container ts.
 */
const NOT_IN_TS_OR_RTMP: readonly string[] = ['av1', 'vp9'];
const TS_OR_RTMP: readonly string[] = ['HLS / TS', 'RTMP', 'SRT', 'STREAM'];

function isTsOrRtmp({ type, settings }: Publishing): boolean {
  return TS_OR_RTMP.includes(type) || (type === 'Record' && settings.container === 'ts');
}

export function codecFitIssues(lookup: Lookup, binding: Binding, field: string, where = ''): FieldIssue[] {
  const carried = boundEncodings(lookup, binding).filter(
    ({ settings_video: video }) => video.active && NOT_IN_TS_OR_RTMP.includes(video.codec),
  );
  const refusing = boundPublishings(lookup, binding).filter(isTsOrRtmp);
  return refusing.flatMap((publishing) =>
    carried.map((encoding) => {
      const codec = encoding.settings_video.codec;
      const allowed = PUBLISHING_TYPES.filter((type) => !TS_OR_RTMP.includes(type) && type !== 'SDIOUT');
      const message =
        `${codec.toUpperCase()} of Encoding ${encoding.id} "${encoding.name}" cannot be carried by Publishing ${publishing.id} ` +
        `"${publishing.name}" of type ${publishing.type}${where}; use a Publishing of type ${allowed.join(', ')} (Record as mp4), or an Encoding of h264`;
      return { field, code: 'incompatible', message, allowed };
    }),
  );
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
    codecFitIssues(changed, livestream, field, ` in Live stream ${livestream.id} "${livestream.name}"`),
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
