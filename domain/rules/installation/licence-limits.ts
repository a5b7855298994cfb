/** Limits by the licences in force: features, and how much is on air at once. */
import type { StartReason } from '../../ports/control.ts';
import { isActive, type Licence, type LicenceFeature } from '../../shapes/installation/licence.ts';
import type { Run } from '../../shapes/broadcasts/run.ts';
import type { View } from '../../ports/store.ts';
import { CHANNEL_ROWS, type ChannelType } from '../../types/channel-types.ts';

type Reader = Pick<View, 'find'>;

/** Licences are read at each use, so a feature ends with its licence, without a restart. */
export function hasFeature(view: Reader, feature: LicenceFeature, now: string): boolean {
  return view.find('licences', {}).rows.some((row) => row.features.includes(feature) && isActive(row, now));
}

/** Says that no start may go to a Cloud account, once a licence in force names the cloud and none of them allows it. */
export function unlicensedCloud(view: Reader, now: string, account: string): string | undefined {
  const named = view
    .find('licences', {})
    .rows.filter((row) => isActive(row, now) && [...row.features, ...(row.denied ?? [])].includes('cloud'));
  if (named.length === 0 || named.some(({ features }) => features.includes('cloud'))) return undefined;
  return `${account}: the licences allow no Live stream at a Cloud account; an Admin installs one with the feature cloud (installLicense).`;
}

type Counted = 'channels' | 'publishing_points';

/** Sum over the licences in force that count the feature; undefined when none does, so that there is no limit. */
function quantityOf(rows: readonly Readonly<Licence>[], feature: Counted, now: string): number | undefined {
  const counting = rows.filter((row) => row.features.includes(feature) && isActive(row, now));
  return counting.length === 0 ? undefined : counting.reduce((sum, row) => sum + row.quantity, 0);
}

/** A Destination delivers by two paths at most, the primary and the backup one. */
const PATHS = 2;

/** Quantities for a Device; null means no limit. Publishing points are Destinations, outputs the paths by which they may deliver at once. */
export function licensedQuantities(
  rows: readonly Readonly<Licence>[],
  now: string,
): Record<'channels' | 'outputs' | 'publishing_points', number | null> {
  const points = quantityOf(rows, 'publishing_points', now) ?? null;
  const outputs = points === null ? null : points * PATHS;
  return { channels: quantityOf(rows, 'channels', now) ?? null, outputs, publishing_points: points };
}

interface Starting {
  livestreamId: number;
  channelType: ChannelType | undefined;
  startConfig: readonly Delivery[];
}
interface Delivery {
  primary: boolean;
  backup: boolean;
}

/** Says what a source of the type lacks; undefined when it may be taken in. */
export function unlicensedSource(
  view: Reader,
  now: string,
  { called, type }: { called: string; type: ChannelType },
): string | undefined {
  const { licence } = CHANNEL_ROWS[type];
  if (licence === null || hasFeature(view, licence, now)) return undefined;
  return `${called} of type ${type} needs a licence with the feature ${licence}; an Admin installs it (installLicense).`;
}

/** Counts Destinations with a path that is on; one with two counts once. */
export const delivered = (entries: readonly Delivery[]): number =>
  entries.filter((entry) => entry.primary || entry.backup).length;

/** Reasons of the licences against a start. A broadcast that is on air is never ended by a licence (docs/decisions/licences.md). */
export function licenceReasons(view: Reader, now: string, starting: Starting): StartReason[] {
  const reasons: StartReason[] = [];
  const add = (message: string): void => void reasons.push({ code: 'licence', message });
  const { channelType } = starting;
  const unlicensed = channelType && unlicensedSource(view, now, { called: 'A Channel', type: channelType });
  if (unlicensed) add(unlicensed);
  const { rows } = view.find('licences', {});
  const channels = quantityOf(rows, 'channels', now);
  if (channels !== undefined) {
    const others = othersOf(view, starting.livestreamId).length;
    if (others + 1 > channels)
      add(
        `The licences allow ${channels} Live streams on air at once, and ${others} are; stop one, or install a larger licence.`,
      );
  }
  const points = pointsExcess(view, now, starting);
  if (points !== undefined)
    add(
      `${points} and this start needs ${delivered(starting.startConfig)}. Switch some off in startConfig, or install a larger licence.`,
    );
  return reasons;
}

/**
 * Reason of the licences against switching Destinations on while their Live stream is on air: `startConfig` is its configuration after
 * that.
 */
export function togglingReason(
  view: Reader,
  now: string,
  toggled: Omit<Starting, 'channelType'>,
): StartReason | undefined {
  const points = pointsExcess(view, now, toggled);
  if (points === undefined) return undefined;
  const message = `${points} by other Live streams and this one would need ${delivered(toggled.startConfig)}. Switch another one off first, or install a larger licence.`;
  return { code: 'licence', message };
}

/** Answers the beginning of a sentence; undefined when there are enough. */
function pointsExcess(view: Reader, now: string, starting: Omit<Starting, 'channelType'>): string | undefined {
  const points = quantityOf(view.find('licences', {}).rows, 'publishing_points', now);
  if (points === undefined) return undefined;
  const busy = othersOf(view, starting.livestreamId).reduce((sum, run) => sum + delivered(run.startConfig), 0);
  if (busy + delivered(starting.startConfig) <= points) return undefined;
  return `The licences allow ${points} Destinations at once; ${busy} are in use`;
}

function othersOf(view: Reader, livestreamId: number): Readonly<Run>[] {
  const { rows } = view.find('runs', { where: { status: { in: [1, 2] } } });
  return rows.filter((run) => run.id !== livestreamId);
}
