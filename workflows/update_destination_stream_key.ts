import { z } from 'zod/v3';
import { secretField } from '../domain/base/schema.ts';
import { takeRow } from '../toolkit/input/resolve.ts';
import { destinationField, takeDestination } from '../toolkit/subjects/destination.ts';
import {
  SWITCHED_OFF,
  deliveryOutput,
  withStreamKey,
  renewDelivery,
  usersFirst,
  type Delivery,
  type Named,
} from '../toolkit/subjects/stream-key.ts';
import { joinSentences, say, sentence, type Sentence } from '../toolkit/sentence.ts';
import { defineTool } from '../toolkit/tool.ts';
import { dryRunField, livestreamField, messageField, takeLivestream } from '../toolkit/subjects/workflow.ts';
import { andList } from '../domain/base/sentence.ts';
import { KEYED_TYPES } from '../domain/types/destination-questions.ts';

const output = z
  .object({
    livestreamId: z.number().int().nullable().describe('null: none was named.'),
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
    `Interrupts its live delivery for a moment. For ${andList(KEYED_TYPES)}; other settings: updatePublishing. ` +
    'Safe to repeat. Answers where it is live, never a key.',
  tag: 'Workflows',
  aliases: ['new stream key', 'rotate key', 'change ingest key', 'reset stream key', 'key leaked'],
  access: 'operator',
  effect: 'update',
  performs: ['updatePublishing', 'runtimeTogglePublishings'],
  input: z
    .object({
      livestream: livestreamField.optional().describe('Left out: any.'),
      destination: destinationField,
      stream_key: secretField(1, 255).describe('The new key.'),
      dry_run: dryRunField,
    })
    .strict(),
  output,
  async handle(ctx, { livestream: wanted, destination, stream_key, dry_run }) {
    const stream = wanted === undefined ? undefined : await takeLivestream(ctx, wanted);
    const question = { wanted: destination, noun: 'Destination', from: { request: ctx.request, field: 'destination' } };
    const any = stream === undefined ? await takeRow(ctx, 'publishings', question) : undefined;
    const { row, runs } = await ctx.store.view((view) => {
      const { id } = any ?? takeDestination(ctx, view, stream!, destination);
      return { row: withStreamKey(view, id, stream_key), runs: usersFirst(view, id, stream?.id) };
    });
    const base = { livestreamId: stream?.id ?? null, publishingId: row.id, destination: row.name };
    if (dry_run) {
      const { text: message, names } = intention(row, runs);
      return { body: { ...base, changed: false, live: [], message }, names };
    }
    const live: Delivery[] = [];
    for (const { id, name } of runs) live.push(await renewDelivery(ctx, row, { id, name }, id === stream?.id));
    const { text: message, names } = messageOf(row, live);
    return ctx.commit((tx, now) => {
      tx.put('publishings', { ...withStreamKey(tx, row.id, stream_key), updated_at: now });
      return { body: { ...base, changed: true, live, message }, names };
    });
  },
});

function messageOf({ name }: Named, live: readonly Delivery[]): Sentence {
  const late = live.filter(({ in_force }) => in_force === 'next_start');
  const now = live.filter(({ in_force }) => in_force === 'now');
  const off = now.filter(({ reason }) => reason === SWITCHED_OFF);
  const idle = now.filter(({ delivers, reason }) => !delivers && reason !== SWITCHED_OFF);
  const parts = [sentence`${say(name)} has its new key.`];
  if (now.some(({ delivers }) => delivers)) parts.push(sentence`It was resumed with it and delivers.`);
  if (idle.length > 0) parts.push(sentence`It does not deliver ${namesOf(idle)} yet.`);
  if (off.length > 0) parts.push(sentence`It is switched off for ${namesOf(off)}.`);
  if (late.length > 0) parts.push(sentence`For ${namesOf(late)} the key counts from the next start.`);
  return joinSentences(parts, ' ');
}

function intention({ name }: Named, runs: readonly Named[]): Sentence {
  if (runs.length === 0) return sentence`The key of ${say(name)} would be replaced; nothing on air uses it.`;
  return sentence`The key of ${say(name)} would be replaced, and the delivery of ${namesOf(runs)} to it interrupted for a moment.`;
}

function namesOf(streams: readonly Pick<Named, 'name'>[]): Sentence {
  return joinSentences(
    streams.map(({ name }) => say(name)),
    ' and ',
  );
}
