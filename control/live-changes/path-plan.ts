/** Plans which paths of which Destinations are switched on and off on air. */
import { AppError, unlicensed, type FieldIssue } from '../../domain/base/errors.ts';
import { deliveredElsewhere } from '../../domain/rules/destinations/destination-use.ts';
import { assertRecordable, writesRecording } from '../../domain/rules/devices/device-storage.ts';
import { delivered, togglingReason } from '../../domain/rules/installation/licence-limits.ts';
import { isSinglePath, type Publishing } from '../../domain/shapes/destinations/publishing.ts';
import { pathIssues } from '../../domain/rules/broadcasts/command-rules.ts';
import { assertRules } from '../../domain/rules/rows/references.ts';
import type { LivestreamStatusView, PathStatus } from '../../domain/shapes/broadcasts/livestream-status.ts';
import type { PathChange } from '../../domain/shapes/changes/run-change.ts';
import type { LiveBody } from '../../domain/shapes/changes/live-change.ts';
import type { OnAir } from './on-air.ts';
import { pathsStep, withPaths, type Plan } from './change-steps.ts';

type Entry = LiveBody<'paths'>['publishings'][number];

export function planPaths(onAir: OnAir, body: { publishings: Entry[] }): Plan {
  assertRules(pathIssues(onAir.view, body, onAir.run.boundPublishings, ' since its start'));
  const entries = body.publishings.map((entry) => ({
    entry,
    publishing: onAir.view.get('publishings', entry.publishingId)!,
  }));
  assertRules(entries.flatMap(({ entry, publishing }, index) => unstartedIssues(onAir, publishing, entry, index)));
  const notes: string[] = [];
  const paths: PathChange[] = [];
  for (const { entry, publishing } of entries) {
    const { publishingId, primary, backup } = entry;
    const isIgnored = backup !== undefined && isSinglePath(publishing);
    if (isIgnored) notes.push(`Destination "${publishing.name}" has a single path; backup was ignored.`);
    const turned = {
      publishingId,
      ...(primary !== undefined && { primary }),
      ...(backup !== undefined && !isIgnored && { backup }),
    };
    if (Object.keys(turned).length > 1) paths.push(turned);
  }
  if (paths.length === 0) return { steps: [], notes };
  const taken = deliveredElsewhere(onAir.view, onAir.livestream.id, paths);
  if (taken !== undefined) throw new AppError('in_use', taken);
  assertLicensed(onAir, paths);
  const rows = entries.map(({ publishing }) => publishing);
  const turnedOn = paths.map(({ publishingId, primary = false }) => ({ publishingId, primary, backup: false }));
  if (writesRecording(rows, turnedOn)) assertRecordable(onAir.view, onAir.run.deviceId);
  return { steps: [pathsStep(paths, onAir.run.startConfig)], notes, tell: (status) => outcomeOf(status, paths) };
}

/** Finds a backup path whose URL was set after the start. */
function unstartedIssues(
  { report }: OnAir,
  publishing: Readonly<Publishing>,
  entry: Entry,
  index: number,
): FieldIssue[] {
  if (entry.backup !== true || isSinglePath(publishing)) return [];
  const destination = report?.publishings.find(({ publishingId }) => publishingId === publishing.id);
  if (destination === undefined || destination.backup !== null) return [];
  const message = `Destination "${publishing.name}" had no backup_url when the Live stream was started; start it anew to use it`;
  return [{ field: `publishings.${index}.backup`, code: 'no_url', message }];
}

/** One more path of a Destination that delivers already needs no further licence. Throws AppError forbidden. */
function assertLicensed({ view, now, livestream, run }: OnAir, paths: readonly PathChange[]): void {
  const startConfig = withPaths(run.startConfig, paths);
  if (delivered(startConfig) <= delivered(run.startConfig)) return;
  const reason = togglingReason(view, now, { livestreamId: livestream.id, startConfig });
  if (reason !== undefined) throw unlicensed(reason.message, { reasons: [reason] });
}

function outcomeOf({ name, publishings }: LivestreamStatusView, paths: readonly PathChange[]): string[] {
  const late = publishings.flatMap((destination) => {
    const turned = paths.find(({ publishingId }) => publishingId === destination.publishingId);
    const isWaiting = (path: PathStatus | null, on: boolean | undefined): boolean =>
      on === true && path?.state !== 'up';
    return [
      ...(isWaiting(destination.primary, turned?.primary)
        ? [`"${destination.name}", primary path, ${STATES[destination.primary.state]}.`]
        : []),
      ...(isWaiting(destination.backup, turned?.backup)
        ? [`"${destination.name}", backup path, ${STATES[destination.backup?.state ?? 'idle']}.`]
        : []),
    ];
  });
  const isSilent = !publishings.some(({ primary, backup }) => primary.enabled || backup?.enabled === true);
  return isSilent ? [...late, `"${name}" is delivered nowhere now: every Destination is off.`] : late;
}

const STATES: Record<PathStatus['state'], string> = {
  idle: 'is on and has not begun yet',
  connecting: 'is on and connects',
  up: 'delivers',
  retrying: 'is on, but its target does not take the stream; it is tried again',
  failed: 'is on, but has failed',
  fenced: 'is on, but held back until its Device hears a server',
};
