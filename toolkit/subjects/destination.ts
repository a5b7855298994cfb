/** Resolves a person's name of a Destination to one that the Live stream is bound to. */
import { AppError } from '../../domain/errors.ts';
import type { Livestream } from '../../domain/livestream.ts';
import { isSinglePath, type Publishing } from '../../domain/publishing.ts';
import { boundPublishings } from '../../domain/resources/bindings.ts';
import type { LivestreamStatusView, PathStatus } from '../../domain/livestream-status.ts';
import type { View } from '../../domain/store.ts';
import type { ToolContext } from '../tool.ts';
import { bareId, takeNamed } from '../input/resolve.ts';
import { stripInvisible } from '../output/visible.ts';
import { say, sentence, type Sentence } from '../sentence.ts';
import { nameOrId } from './workflow.ts';

export const destinationField = nameOrId.describe('Bound Destination: id or name.');

/** The bound Destination. Throws AppError rule_violated for an id that is not bound, not_found or conflict for a name. */
export function takeDestination(
  { request }: Pick<ToolContext, 'request'>,
  view: View,
  livestream: Readonly<Livestream>,
  wanted: string,
): Readonly<Publishing> {
  const bound = boundTo(view, livestream);
  const id = bareId(wanted);
  if (id === undefined || bound.some((row) => row.id === id || row.name === wanted.trim()))
    return takeNamed(bound, { wanted, noun: 'Destination', from: { request, field: 'destination' } });
  const name = view.get('publishings', id)?.name;
  const known = bound.map((row) => `${row.id} "${stripInvisible(row.name)}"`).join(', ') || 'none';
  const who = `Publishing ${id}${name === undefined ? '' : ` "${stripInvisible(name)}"`}`;
  const { text, names } = sentence`${who} is not bound to ${say(livestream.name)}; bound are ${known}.`;
  throw new AppError('rule_violated', text, {
    names,
    errors: [
      { field: 'destination', code: 'not_bound', message: `${who} is not bound`, allowed: bound.map((row) => row.id) },
    ],
  });
}

export interface FoundPath {
  publishing: Readonly<Publishing>;
  /** The body of the change. */
  body: { publishings: { publishingId: number; primary?: boolean; backup?: boolean }[] };
  before: LivestreamStatusView;
  /** Whether the path is on before the change. */
  was: boolean;
}

/** The Destination that is meant, and the state of its path before the change. Throws as takeDestination does. */
export function findPath(
  ctx: Pick<ToolContext, 'store' | 'control' | 'request'>,
  stream: Readonly<Livestream>,
  destination: string,
  { path, enabled }: { path: 'primary' | 'backup'; enabled: boolean },
): Promise<FoundPath> {
  const { store, control } = ctx;
  return store.view((view) => {
    const publishing = takeDestination(ctx, view, stream, destination);
    const body = { publishings: [{ publishingId: publishing.id, [path]: enabled }] };
    const before = control.status(stream, view.get('runs', stream.id));
    return { publishing, body, before, was: pathOf(before, publishing.id, path)?.enabled ?? false };
  });
}

/** A run keeps the Destinations that it was started with. */
function boundTo(view: View, livestream: Readonly<Livestream>): Readonly<Publishing>[] {
  const run = view.get('runs', livestream.id);
  if (run === undefined || (run.status !== 1 && run.status !== 2)) return boundPublishings(view, livestream);
  return run.boundPublishings.flatMap((id) => view.get('publishings', id) ?? []);
}

/** The state of the path; undefined where the run has no such path. */
export function pathOf(
  { publishings }: Pick<LivestreamStatusView, 'publishings'>,
  publishingId: number,
  path: 'primary' | 'backup',
): PathStatus | undefined {
  return publishings.find((state) => state.publishingId === publishingId)?.[path] ?? undefined;
}

/** `Web` or, where there are two, `the backup path of Web`. */
export function sayPath(publishing: Readonly<Publishing>, path: 'primary' | 'backup'): Sentence {
  return isSinglePath(publishing) ? say(publishing.name) : sentence`the ${path} path of ${say(publishing.name)}`;
}
