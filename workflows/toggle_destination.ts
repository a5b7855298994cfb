import { z } from 'zod/v3';
import type { Livestream } from '../domain/shapes/broadcasts/livestream.ts';
import { isSinglePath, type Publishing } from '../domain/shapes/destinations/publishing.ts';
import { PATH_STATES, type LivestreamStatusView } from '../domain/shapes/broadcasts/livestream-status.ts';
import { destinationField, findPath, pathOf, sayPath, type FoundPath } from '../toolkit/subjects/destination.ts';
import { joinSentences, say, sentence, type Sentence } from '../toolkit/sentence.ts';
import { defineTool, type Answer, type ToolContext } from '../toolkit/tool.ts';
import { dryRunField, livestreamField, messageField, takeLivestream } from '../toolkit/subjects/workflow.ts';

const input = z
  .object({
    livestream: livestreamField,
    destination: destinationField,
    path: z.enum(['primary', 'backup']).describe('Path to turn.'),
    enabled: z.boolean().describe('true: on, or try again now.'),
    dry_run: dryRunField,
  })
  .strict();
type Change = Pick<z.infer<typeof input>, 'path' | 'enabled'>;

const output = z
  .object({
    livestreamId: z.number().int(),
    name: z.string(),
    publishingId: z.number().int(),
    destination: z.string(),
    path: z.enum(['primary', 'backup']),
    enabled: z.boolean().describe('Whether the path is on now.'),
    state: z.enum(PATH_STATES),
    changed: z.boolean().describe('false: it was so already, or dry_run.'),
    message: messageField,
    notes: z.array(z.string()),
  })
  .strict();
type Output = z.infer<typeof output>;
type Row = Readonly<Publishing>;

export const toggle_destination = defineTool({
  name: 'toggle_destination',
  summary: 'Turn the primary or backup path of a Destination on or off on air.',
  description:
    'Its viewers lose or regain it, no others. Only for a Live stream on air; for several paths use runtimeTogglePublishings. ' +
    'Safe to repeat. Answers the state of the path.',
  tag: 'Workflows',
  aliases: ['switch output off', 'enable backup', 'pause restream', 'stop sending to', 'resume output', 'retry'],
  access: 'operator',
  effect: 'control',
  performs: ['runtimeTogglePublishings'],
  input,
  output,
  async handle(ctx, { livestream: wanted, destination, dry_run, ...change }) {
    const stream = await takeLivestream(ctx, wanted);
    const found = await findPath(ctx, stream, destination, change);
    const { publishing, body, was } = found;
    if (dry_run) return planOf(ctx, stream, found, change);
    return ctx.control.changeLive(
      stream.id,
      { kind: 'paths', body, by: ctx.caller.username },
      ({ status, notes, settle }) =>
        ctx.commit((tx) => {
          settle(tx);
          const state = stateOf(publishing, status, change);
          const more = isIgnored(publishing, change) ? [] : notes;
          const { text: message, names } = joinSentences([messageOf(publishing, state, change), ...more], ' ');
          return { body: { ...state, changed: state.enabled !== was, message, notes }, names };
        }),
      ctx.request.changeId,
    );
  },
});

/** Throws what the change itself would throw. */
async function planOf(
  { store, control }: ToolContext,
  { id }: Readonly<Livestream>,
  { publishing, body, before, was }: FoundPath,
  change: Change,
): Promise<Answer<Output>> {
  const notes = await store.view((view) => control.checkChange(view, id, { kind: 'paths', body }));
  const { text: message, names } = intention(publishing, before, change, was);
  return { body: { ...stateOf(publishing, before, change), changed: false, message, notes }, names };
}

function stateOf(
  { id, name }: Row,
  status: LivestreamStatusView,
  { path }: Change,
): Omit<Output, 'changed' | 'message' | 'notes'> {
  const { enabled = false, state = 'idle' } = pathOf(status, id, path) ?? {};
  const { livestreamId } = status;
  return { livestreamId, name: status.name, publishingId: id, destination: name, path, enabled, state };
}

function messageOf(publishing: Row, { name, state }: Pick<Output, 'name' | 'state'>, change: Change): Sentence {
  const { path, enabled } = change;
  if (isIgnored(publishing, change))
    return sentence`${say(publishing.name)} has a single path, and no backup to turn on or off.`;
  const outcome = !enabled ? 'off' : state === 'up' ? 'on and delivers' : 'on, but does not deliver yet';
  return sentence`For ${say(name)}, ${sayPath(publishing, path)} is ${outcome}.`;
}

function intention(publishing: Row, { name }: { name: string }, change: Change, was: boolean): Sentence {
  const { path, enabled } = change;
  const which = sayPath(publishing, path);
  if (isIgnored(publishing, change)) return sentence`${say(publishing.name)} has a single path; nothing would change.`;
  if (was && enabled)
    return sentence`For ${say(name)}, ${which} is on already; it would be tried again if it is in trouble.`;
  return sentence`For ${say(name)}, ${which} is ${was ? 'on' : 'off'} and would be turned ${enabled ? 'on' : 'off'}.`;
}

function isIgnored(publishing: Row, { path }: Change): boolean {
  return path === 'backup' && isSinglePath(publishing);
}
