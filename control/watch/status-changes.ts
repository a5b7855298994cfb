/** Compares two statuses of a Live stream: rates and levels apart, because they go out each second by themselves. */
import { isSameJson } from '../../domain/base/json.ts';
import type { StatusChange } from '../../domain/ports/live-watch.ts';
import type { LivestreamStatusView } from '../../domain/shapes/broadcasts/livestream-status.ts';

type Member = keyof LivestreamStatusView;

const WHOLE: readonly Member[] = [
  'name',
  'status',
  'errorstatus',
  'since',
  'deviceId',
  'slot',
  'conditions',
  'source_watched',
  'lost_seconds',
  'publishings',
  'runtime',
  'recordingId',
  'recording_on_request',
  'scheduleId',
  'on_air',
  'device_lost_since',
];

/** The changed members, each whole; undefined when nothing but rates has changed. */
export function statusChange(before: LivestreamStatusView, now: LivestreamStatusView): StatusChange | undefined {
  const members: Member[] = WHOLE.filter((member) => !isSameJson(before[member], now[member]));
  if (!isSameSource(before.source, now.source)) members.push('source');
  if (!hasSameEncodings(before, now)) members.push('encodings');
  if (!isSameAudience(before.viewers, now.viewers)) members.push('viewers');
  if (members.length === 0) return undefined;
  // A listener counts the up-time on from the figure of the present status.
  if (members.includes('status') || members.includes('since')) members.push('uptime_seconds');
  return withMembers(now, members);
}

/** The given members of a status, whether they have changed or not. */
export function withMembers(now: LivestreamStatusView, members: readonly Member[]): StatusChange {
  const { livestreamId } = now;
  const values: Partial<LivestreamStatusView> = Object.fromEntries(members.map((member) => [member, now[member]]));
  return { ...values, livestreamId };
}

type Source = LivestreamStatusView['source'];

function isSameSource(before: Source, now: Source): boolean {
  const isSame = before?.channelId === now?.channelId && before?.state === now?.state;
  return isSame && before?.ingest?.state === now?.ingest?.state;
}

function hasSameEncodings({ encodings: before }: LivestreamStatusView, { encodings }: LivestreamStatusView): boolean {
  return (
    before.length === encodings.length &&
    encodings.every(({ encodingId }, index) => encodingId === before[index]?.encodingId)
  );
}

/** The minutes watched grow with each report. */
function isSameAudience(before: LivestreamStatusView['viewers'], now: LivestreamStatusView['viewers']): boolean {
  return before?.now === now?.now && before?.peak === now?.peak;
}
