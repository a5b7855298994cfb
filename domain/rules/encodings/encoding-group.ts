import {
  encodingGroupCreate,
  encodingGroupOutput,
  pipelineOf,
  type EncodingGroup,
} from '../../shapes/encodings/encoding.ts';
import type { FieldIssue } from '../../base/errors.ts';
import { oddLight } from './one-light.ts';
import { oddRate, RATE_REMEDY } from './rendition-rules.ts';
import { defineResource, type Lookup } from '../../ports/resource.ts';
import { dependentFitIssues } from './codec-fit.ts';
import { assertRules, elementIssues, withRow } from '../rows/references.ts';
import { livestreamUsers } from '../rows/resource-users.ts';
import { called, calledIn } from '../../base/sentence.ts';

export const encodingGroupResource = defineResource({
  collection: 'encodingGroups',
  noun: 'Encoding group',
  idParam: 'groupId',
  shape: encodingGroupCreate,
  output: encodingGroupOutput,
  shortFields: ['id', 'name', 'pipeline', 'quality_order', 'elements'],
  filters: {},
  check: (row, view, present) => {
    const changed = withRow(view, 'encodingGroups', row);
    assertRules([
      ...elementIssues(view, 'encodings', 'Encoding', row.elements),
      ...pipelineIssues(row, view),
      ...ladderIssues(row, view),
      ...dependentFitIssues(view, changed, 'encodingGroups', present?.id, 'elements'),
    ]);
  },
  users: (view, id) => livestreamUsers(view, 'encodingGroupId', id),
  related: (row) => row.elements.slice(0, 1).map((id) => ['encodings', id] as const),
  present: (row, lookup) => ({ ...row, pipeline: pipelineOfMember(lookup, row.elements[0]) ?? null }),
});

function pipelineOfMember(lookup: Lookup, id: number | undefined): string | undefined {
  const encoding = id === undefined ? undefined : lookup.get('encodings', id);
  return encoding && pipelineOf(encoding);
}

function pipelineIssues({ elements }: EncodingGroup, lookup: Lookup): FieldIssue[] {
  const first = pipelineOfMember(lookup, elements[0]);
  return elements.flatMap((id, index) => {
    const pipeline = pipelineOfMember(lookup, id);
    if (first === undefined || pipeline === undefined || pipeline === first) return [];
    const message = `${calledIn(lookup, 'Encoding', id)} is of pipeline ${pipeline}, the first member of ${first}; all members must share one`;
    return [{ field: `elements.${index}`, code: 'pipeline', message }];
  });
}

/** Finds Encodings that one encoder cannot make together; a rate that is left to the source is checked at the start. */
export function ladderIssues({ elements }: EncodingGroup, lookup: Lookup): FieldIssue[] {
  if (elements.length < 2) return [];
  const members = elements.map((id) => lookup.get('encodings', id));
  const rates = members
    .flatMap((member) => (member?.settings_video.active ? [member.settings_video.fps || []] : []))
    .flat();
  return members.flatMap((member, index) => {
    if (member === undefined) return [];
    const { settings_video: video, settings_audio: audio } = member;
    const issue = (code: string, message: string): FieldIssue[] => [{ field: `elements.${index}`, code, message }];
    if ((video.active && video.codec === 'copy') || (audio.active && audio.codec === 'copy'))
      return issue(
        'incompatible',
        `${called('Encoding', member)} copies the source, which is one rendition; bind it alone`,
      );
    const videos = members.flatMap((other) => (other?.settings_video.active === true ? other.settings_video : []));
    const light = video.active ? oddLight(video, videos) : undefined;
    if (light !== undefined) return issue('incompatible', `${called('Encoding', member)} ${light}`);
    const odd = video.active && video.fps > 0 ? oddRate([video.fps], Math.max(...rates)) : undefined;
    if (odd === undefined) return [];
    return issue(
      'incompatible',
      `${odd} frames a second of ${called('Encoding', member)} do not divide the ${Math.max(...rates)} of the fastest; ${RATE_REMEDY}`,
    );
  });
}
