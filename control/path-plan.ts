/** Which paths of which Destinations are switched on and off on air. */
import { AppError, type FieldIssue } from '../domain/errors.ts';
import { delivered, togglingReason } from '../domain/licence.ts';
import { hasBackupPath, isSinglePath, type Publishing } from '../domain/publishing.ts';
import { assertRules } from '../domain/resources/rules.ts';
import type { LivestreamStatusView, PathChange, PathStatus } from '../domain/run.ts';
import type { LiveChange } from '../domain/runtime.ts';
import type { OnAir } from './on-air.ts';
import { pathsStep, withPaths, type Plan } from './steps.ts';

type Entry = Extract<LiveChange, { kind: 'paths' }>['body']['publishings'][number];

export function planPaths(at: OnAir, { publishings: entries }: { publishings: readonly Entry[] }): Plan {
  const issues: FieldIssue[] = [];
  const notes: string[] = [];
  const paths: PathChange[] = [];
  entries.forEach((entry, index) => {
    const found = issuesOf(at, entry, index, entries);
    issues.push(...found);
    const publishing = at.view.get('publishings', entry.publishingId);
    if (found.length > 0 || publishing === undefined) return;
    const { publishingId, primary, backup } = entry;
    const isIgnored = backup !== undefined && isSinglePath(publishing);
    if (isIgnored) notes.push(`Destination ${publishing.name} has a single path; backup was ignored.`);
    const turned = {
      publishingId,
      ...(primary !== undefined && { primary }),
      ...(backup !== undefined && !isIgnored && { backup }),
    };
    if (Object.keys(turned).length > 1) paths.push(turned);
  });
  assertRules(issues);
  if (paths.length === 0) return { steps: [], notes };
  assertLicensed(at, paths);
  return { steps: [pathsStep(paths, at.run.startConfig)], notes, tell: (status) => outcomeOf(status, paths) };
}

function issuesOf(at: OnAir, entry: Entry, index: number, entries: readonly Entry[]): FieldIssue[] {
  const { publishingId, primary, backup } = entry;
  const issue = (field: string, code: string, message: string, more: object = {}): FieldIssue[] => [
    { field: `publishings.${index}${field}`, code, message, ...more },
  ];
  const bound = at.run.boundPublishings;
  const publishing = at.view.get('publishings', publishingId);
  if (!bound.includes(publishingId) || publishing === undefined) {
    const who = `Publishing ${publishingId}${publishing === undefined ? '' : ` "${publishing.name}"`}`;
    const message = `${who} is not bound to this Live stream since its start; bound are ${bound.join(', ')}`;
    return issue('.publishingId', 'not_bound', message, { allowed: bound });
  }
  if (entries.findIndex((other) => other.publishingId === publishingId) < index)
    return issue('.publishingId', 'duplicate', `Publishing ${publishingId} is named twice; name each once`);
  if (primary === undefined && backup === undefined)
    return issue('', 'required', `names no path of "${publishing.name}"; send primary, backup or both`);
  return backup === true ? backupIssues(at, publishing).flatMap((message) => issue('.backup', 'no_url', message)) : [];
}

/** Off is what a path without a URL is already. */
function backupIssues({ report }: OnAir, publishing: Readonly<Publishing>): string[] {
  if (isSinglePath(publishing)) return [];
  if (!hasBackupPath(publishing))
    return [
      `Destination "${publishing.name}" has no backup_url; set it with updatePublishing and start the Live stream anew`,
    ];
  const told = report?.publishings.find(({ publishingId }) => publishingId === publishing.id);
  if (told === undefined || told.backup !== null) return [];
  return [
    `Destination "${publishing.name}" had no backup_url when the Live stream was started; start it anew to use it`,
  ];
}

/** One more path of a Destination that delivers already needs nothing more. Throws AppError forbidden. */
function assertLicensed({ view, now, livestream, run }: OnAir, paths: readonly PathChange[]): void {
  const startConfig = withPaths(run.startConfig, paths);
  if (delivered(startConfig) <= delivered(run.startConfig)) return;
  const reason = togglingReason(view, now, { livestreamId: livestream.id, startConfig });
  if (reason !== undefined) throw new AppError('forbidden', reason.message, { facts: { reasons: [reason] } });
}

function outcomeOf({ name, publishings }: LivestreamStatusView, paths: readonly PathChange[]): string[] {
  const late = publishings.flatMap((told) => {
    const turned = paths.find(({ publishingId }) => publishingId === told.publishingId);
    const waits = (path: PathStatus | null, on: boolean | undefined): boolean => on === true && path?.state !== 'up';
    return [
      ...(waits(told.primary, turned?.primary) ? [`${told.name}, primary path, ${STATES[told.primary.state]}.`] : []),
      ...(waits(told.backup, turned?.backup)
        ? [`${told.name}, backup path, ${STATES[told.backup?.state ?? 'idle']}.`]
        : []),
    ];
  });
  const isSilent = !publishings.some(({ primary, backup }) => primary.enabled || backup?.enabled === true);
  return isSilent ? [...late, `${name} is delivered nowhere now: every Destination is off.`] : late;
}

const STATES: Record<PathStatus['state'], string> = {
  idle: 'is on and has not begun yet',
  connecting: 'is on and connects',
  up: 'delivers',
  retrying: 'is on, but its target does not take the stream; it is tried again',
  failed: 'is on, but has failed',
};
