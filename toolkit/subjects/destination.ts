/** Resolves a person's name of a Destination to one that the Live stream is bound to. */
import { AppError } from '../../domain/base/errors.ts';
import type { Livestream } from '../../domain/shapes/broadcasts/livestream.ts';
import { pause } from '../../domain/time/pause.ts';
import { isSinglePath, type Publishing } from '../../domain/shapes/destinations/publishing.ts';
import { boundPublishings } from '../../domain/rules/broadcasts/bindings.ts';
import type { LivestreamStatusView, PathStatus } from '../../domain/shapes/broadcasts/livestream-status.ts';
import { streamsBehind } from '../../domain/rules/destinations/members-on-air.ts';
import { called, listed } from '../../domain/base/sentence.ts';
import type { View } from '../../domain/ports/store.ts';
import type { Answer, Tool, ToolContext } from '../tool.ts';
import { bareId, takeNamed, type Question } from '../input/resolve.ts';
import { stripInvisible } from '../output/visible.ts';
import { say, sentence, type Sentence } from '../sentence.ts';
import { nameOrId } from './workflow.ts';

export const destinationField = nameOrId.describe('Bound Destination: id or name.');

/**
 * The bound Destination. Throws AppError rule_violated for one that is not bound, with the way to bind it; conflict while it is joining, and
 * for a name of several; not_found for a name of none.
 */
export function takeDestination(
  { request }: Pick<ToolContext, 'request'>,
  view: View,
  livestream: Readonly<Livestream>,
  wanted: string,
): Readonly<Publishing> {
  const bound = boundTo(view, livestream);
  const id = bareId(wanted);
  if (id !== undefined && !bound.some((row) => row.id === id || row.name === wanted.trim()))
    throw notBound(view, livestream, bound, view.get('publishings', id) ?? { id });
  const question = { wanted, noun: 'Destination', from: { request, field: 'destination' } };
  try {
    return takeNamed(bound, question);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
    throw notBound(view, livestream, bound, anyNamed(view, question, error));
  }
}

/** The Destination of that name, bound or not. Throws `unknown` where there is none. */
function anyNamed(view: View, question: Question, unknown: AppError): Readonly<Publishing> {
  try {
    return takeNamed(view.find('publishings', {}).rows, question);
  } catch {
    // The first refusal names the nearest of those that are bound.
    throw unknown;
  }
}

function notBound(
  view: View,
  { name: stream, publishingGroupId }: Readonly<Livestream>,
  bound: readonly Readonly<Publishing>[],
  { id, name }: { id: number; name?: string },
): AppError {
  const known = listed(bound.map((row) => ({ ...row, name: stripInvisible(row.name) })));
  const who = called('Publishing', { id, name: name && stripInvisible(name) });
  const group = publishingGroupId === null ? undefined : view.get('publishingGroups', publishingGroupId);
  if (group?.elements.includes(id) === true) {
    const { text, names } = sentence`${who} is joining ${say(stream)}; repeat the call in a moment.`;
    return new AppError('conflict', text, { names, retryAfterSeconds: 1 });
  }
  const call = group && { groupId: group.id, elements: [...group.elements, id] };
  const alone =
    'It delivers to one Destination alone; more take a Publishing group, bound with updateLivestream while it is off air.';
  const way =
    name === undefined
      ? ''
      : call === undefined
        ? ` ${alone}`
        : ` Add it with updatePublishingGroup ${JSON.stringify(call)}, which keeps the picture, then repeat this call.`;
  const { text, names } = sentence`${who} is not bound to ${say(stream)}; bound are ${known}.${way}`;
  const issue = {
    field: 'destination',
    code: 'not_bound',
    message: `${who} is not bound`,
    allowed: bound.map((row) => row.id),
  };
  const next_call = name !== undefined && call && { operationId: 'updatePublishingGroup', arguments: call };
  return new AppError('rule_violated', text, { names, errors: [issue], ...(next_call && { facts: { next_call } }) });
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

/** It takes some milliseconds; a Device that is away takes it over when it is back. */
const LOOK_MS = 10;
const MAX_LOOKS = 500;

interface Body {
  data: { id: number; notes?: string[] };
}

/** A change of a Publishing group is answered once the broadcasts on air have taken it over, so that what has joined can be turned on at once. */
export function onceJoined(tool: Tool): Tool {
  return {
    ...tool,
    async handle(ctx: ToolContext, input: never) {
      const answer = (await tool.handle(ctx, input)) as Answer<Body>;
      const { data } = answer.body;
      const behind = await waitForJoin(ctx, data.id);
      if (behind.length === 0) return answer;
      const note = `This is still under way for ${behind.join(', ')}; getLivestreamStatus shows when it is done.`;
      return { ...answer, body: { data: { ...data, notes: [...(data.notes ?? []), note] } } };
    },
  };
}

async function waitForJoin({ store, signal }: ToolContext, groupId: number): Promise<string[]> {
  for (let look = 1; ; look += 1) {
    const behind = await store.view((view) => streamsBehind(view, groupId));
    if (behind.length === 0 || look === MAX_LOOKS || !(await pause(LOOK_MS, signal))) return behind;
  }
}
