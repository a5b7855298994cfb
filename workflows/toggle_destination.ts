import { z } from 'zod/v3';
import type { Livestream } from '../domain/livestream.ts';
import { isSinglePath, type Publishing } from '../domain/publishing.ts';
import { PATH_STATES, type LivestreamStatusView } from '../domain/livestream-status.ts';
import { destinationField, findPath, pathOf, sayPath, type FoundPath } from '../toolkit/subjects/destination.ts';
import { resolveRow } from '../toolkit/input/resolve.ts';
import { defineTool, type ToolContext } from '../toolkit/tool.ts';
import { dryRunField, livestreamField, messageField, say } from '../toolkit/subjects/workflow.ts';

const input = z
  .object({
    livestream: livestreamField,
    destination: destinationField,
    path: z.enum(['primary', 'backup']).describe('Path to turn.'),
    enabled: z.boolean().describe('true: on, or try again now.'),
    dry_run: dryRunField,
  })
  .strict();
type Toggle = Pick<z.infer<typeof input>, 'path' | 'enabled'>;

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
  input,
  output,
  async handle(ctx, { livestream: wanted, destination, dry_run, ...toggle }) {
    const stream = await resolveRow(ctx.store, 'livestreams', 'Live stream', wanted);
    const found = await findPath(ctx, stream, destination, toggle);
    const { publishing, body, was } = found;
    if (dry_run) return { body: await planOf(ctx, stream, found, toggle) };
    return ctx.control.changeLive(
      stream.id,
      { kind: 'paths', body, by: ctx.caller.username },
      ({ status, notes, settle }) =>
        ctx.commit((tx) => {
          settle(tx);
          const result = answer(publishing, status, toggle);
          const more = isIgnored(publishing, toggle) ? [] : notes;
          const message = [sentence(publishing, result, toggle), ...more].join(' ');
          return { body: { ...result, changed: result.enabled !== was, message, notes } };
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
  toggle: Toggle,
): Promise<Output> {
  const notes = await store.view((view) => control.checkChange(view, id, { kind: 'paths', body }));
  const message = planText(publishing, before, toggle, was);
  return { ...answer(publishing, before, toggle), changed: false, message, notes };
}

function answer(
  { id, name }: Readonly<Publishing>,
  status: LivestreamStatusView,
  { path }: Toggle,
): Omit<Output, 'changed' | 'message' | 'notes'> {
  const { enabled = false, state = 'idle' } = pathOf(status, id, path) ?? {};
  return {
    livestreamId: status.livestreamId,
    name: status.name,
    publishingId: id,
    destination: name,
    path,
    enabled,
    state,
  };
}

function sentence(publishing: Readonly<Publishing>, result: Pick<Output, 'name' | 'state'>, toggle: Toggle): string {
  const { path, enabled } = toggle;
  if (isIgnored(publishing, toggle))
    return `${say(publishing.name)} has a single path, and no backup to turn on or off.`;
  const state = !enabled ? 'off' : result.state === 'up' ? 'on and delivers' : 'on, but does not deliver yet';
  return `For ${say(result.name)}, ${sayPath(publishing, path)} is ${state}.`;
}

function planText(publishing: Readonly<Publishing>, { name }: { name: string }, toggle: Toggle, was: boolean): string {
  const { path, enabled } = toggle;
  const which = sayPath(publishing, path);
  if (isIgnored(publishing, toggle)) return `${say(publishing.name)} has a single path; nothing would change.`;
  if (was && enabled) return `For ${say(name)}, ${which} is on already; it would be tried again if it is in trouble.`;
  return `For ${say(name)}, ${which} is ${was ? 'on' : 'off'} and would be turned ${enabled ? 'on' : 'off'}.`;
}

function isIgnored(publishing: Readonly<Publishing>, { path }: Toggle): boolean {
  return path === 'backup' && isSinglePath(publishing);
}
