import { z } from 'zod/v3';
import { secretField } from '../domain/schema.ts';
import { destinationField, resolveDestination } from '../toolkit/subjects/destination.ts';
import { resolveRow } from '../toolkit/input/resolve.ts';
import {
  SWITCHED_OFF,
  deliveryOutput,
  keyed,
  renewDelivery,
  usersFirst,
  type Delivery,
  type Named,
} from '../toolkit/subjects/stream-key.ts';
import { defineTool } from '../toolkit/tool.ts';
import { dryRunField, livestreamField, messageField, say } from '../toolkit/subjects/workflow.ts';

const output = z
  .object({
    livestreamId: z.number().int(),
    publishingId: z.number().int(),
    destination: z.string(),
    changed: z.boolean().describe('false: dry_run.'),
    live: z.array(deliveryOutput).describe('Live streams on air or starting that deliver to it.'),
    message: messageField,
  })
  .strict();

export const update_destination_stream_key = defineTool({
  name: 'update_destination_stream_key',
  summary: 'Rotate the stream key of a Destination, on air too.',
  description:
    'Interrupts its live delivery for a moment. For RTMP, Enhanced RTMP and SRT; other settings: updatePublishing. ' +
    'Safe to repeat. Answers where it is live, never a key.',
  tag: 'Workflows',
  aliases: ['new stream key', 'rotate key', 'change ingest key', 'reset stream key', 'key leaked'],
  access: 'operator',
  effect: 'update',
  input: z
    .object({
      livestream: livestreamField,
      destination: destinationField,
      stream_key: secretField(1, 255).describe('The new key.'),
      dry_run: dryRunField,
    })
    .strict(),
  output,
  async handle(ctx, { livestream: wanted, destination, stream_key, dry_run }) {
    const stream = await resolveRow(ctx.store, 'livestreams', 'Live stream', wanted);
    const { row, runs } = await ctx.store.view((view) => {
      const present = resolveDestination(view, stream, destination);
      return { row: keyed(view, present.id, stream_key), runs: usersFirst(view, present.id, stream.id) };
    });
    const base = { livestreamId: stream.id, publishingId: row.id, destination: row.name };
    if (dry_run) return { body: { ...base, changed: false, live: [], message: intention(row, runs) } };
    const live: Delivery[] = [];
    for (const { id, name } of runs) live.push(await renewDelivery(ctx, row, { id, name }, id === stream.id));
    return ctx.commit((tx, now) => {
      tx.put('publishings', { ...keyed(tx, row.id, stream_key), updated_at: now });
      return { body: { ...base, changed: true, live, message: sentence(row, live) } };
    });
  },
});

function sentence({ name }: Named, live: readonly Delivery[]): string {
  const namesOf = (entries: readonly Delivery[]): string => entries.map((entry) => say(entry.name)).join(' and ');
  const late = live.filter(({ in_force }) => in_force === 'next_start');
  const now = live.filter(({ in_force }) => in_force === 'now');
  const off = now.filter(({ reason }) => reason === SWITCHED_OFF);
  const idle = now.filter(({ delivers, reason }) => !delivers && reason !== SWITCHED_OFF);
  const parts = [`${say(name)} has its new key.`];
  if (now.some(({ delivers }) => delivers)) parts.push('It was resumed with it and delivers.');
  if (idle.length > 0) parts.push(`It does not deliver ${namesOf(idle)} yet.`);
  if (off.length > 0) parts.push(`It is switched off for ${namesOf(off)}.`);
  if (late.length > 0) parts.push(`For ${namesOf(late)} the key counts from the next start.`);
  return parts.join(' ');
}

function intention({ name }: Named, runs: readonly Named[]): string {
  if (runs.length === 0) return `The key of ${say(name)} would be replaced; nothing on air uses it.`;
  return `The key of ${say(name)} would be replaced, and the delivery of ${runs.map((run) => say(run.name)).join(' and ')} to it interrupted for a moment.`;
}
