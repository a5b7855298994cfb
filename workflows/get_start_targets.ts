import { z } from 'zod/v3';
import { slotsField } from '../domain/shapes/devices/device.ts';
import { START_REFUSALS, TARGET_REASONS, type StartTarget } from '../domain/ports/control.ts';
import { sayFound } from '../toolkit/input/resolve.ts';
import { defineTool } from '../toolkit/tool.ts';
import { say, sentence, type Sentence } from '../toolkit/sentence.ts';
import { findLivestream, livestreamField, messageField, takenForField } from '../toolkit/subjects/workflow.ts';

const target = z
  .object({
    kind: z.enum(['device_group', 'device', 'cloud']),
    name: z.string(),
    recommended: z.boolean().describe('The one to take; at most one.'),
    available: z.boolean().describe('Whether a start that names it would find its place there now.'),
    reason: z
      .object({ code: z.enum(TARGET_REASONS), message: z.string() })
      .strict()
      .nullable()
      .describe('What is against it; wrong_group: possible, but not what the Live stream is configured for.'),
    start: z
      .object({
        idEncoderGroup: z.number().int().optional(),
        deviceId: z.number().int().optional(),
        cloudAccountId: z.number().int().optional(),
      })
      .strict()
      .describe('What names it: a field of start_livestream.'),
    free_cores: z.number().nullable().describe('Cores that may still be promised there; null: not known here.'),
    needed_cores: z.number().nullable().describe('Cores that this Live stream takes there, as learned from what ran.'),
    load: z.number().nullable().describe('Share of its encoding capacity in use, 0-1.'),
    slots: slotsField.nullable(),
  })
  .strict();
type Target = z.infer<typeof target>;

export const get_start_targets = defineTool({
  name: 'get_start_targets',
  summary: 'Recommend where to start a Live stream: Device groups, Devices and cloud accounts, best first.',
  description:
    'Use it where there is a choice, or after a refusal with no_capacity; for what fills Devices use channel_slot_usage. ' +
    'Answers what is against each place, and the field that names it.',
  tag: 'Workflows',
  aliases: ['where to start', 'which encoder', 'best encoder', 'placement', 'free encoder', 'recommend a target'],
  access: 'operator',
  effect: 'read',
  performs: ['getLivestreamStartConfig', 'getDevicesLiveStatus'],
  input: z.object({ livestream: livestreamField }).strict(),
  output: z
    .object({
      livestreamId: z.number().int(),
      name: z.string(),
      taken_for: takenForField,
      recommended: target.nullable().describe('Where to start it; null: nowhere at the moment.'),
      targets: z.array(target).describe('Every place, best first.'),
      reasons: z
        .array(z.object({ code: z.enum(START_REFUSALS), message: z.string() }).strict())
        .describe('What is against a start anywhere; empty when only the place matters.'),
      message: messageField,
    })
    .strict(),
  async handle(ctx, { livestream: wanted }) {
    const { row, ...taken } = await findLivestream(ctx, wanted);
    const { id, name } = row;
    const { reasons, targets } = await ctx.store.view((view) => ctx.control.startTargets(view, id));
    const places = targets.map(targetOf);
    const recommended = places.find((place) => place.recommended) ?? null;
    const why = reasons.map((reason) => reason.message).join(' ');
    const outcome =
      why === '' ? messageOf(name, recommended, places) : sentence`${say(name)} cannot start anywhere now. ${why}`;
    const { text: message, names } = sayFound({ row, ...taken }, 'Live stream', outcome);
    return { body: { livestreamId: id, name, ...taken, recommended, targets: places, reasons, message }, names };
  },
});

const FIELDS = { device_group: 'idEncoderGroup', device: 'deviceId', cloud: 'cloudAccountId' } as const;
const WORDS = { device_group: 'Device group', device: 'Device', cloud: 'cloud account' } as const;

function targetOf({ kind, id, name, recommended, available, reason, capacity, needed }: StartTarget): Target {
  return {
    kind,
    name,
    recommended,
    available,
    reason,
    start: { [FIELDS[kind]]: id },
    free_cores: capacity === null ? null : round(capacity.free),
    needed_cores: needed === null ? null : round(needed),
    load: capacity?.load ?? null,
    slots: capacity?.slots ?? null,
  };
}

function round(cores: number): number {
  return Math.round(cores * 100) / 100;
}

function messageOf(name: string, recommended: Target | null, targets: readonly Target[]): Sentence {
  if (recommended !== null) {
    if (recommended.kind === 'cloud')
      return sentence`Start ${say(name)} on the cloud platform, through cloud account ${say(recommended.name)}.`;
    const full = Math.round((recommended.load ?? 0) * 100);
    return sentence`Start ${say(name)} on ${WORDS[recommended.kind]} ${say(recommended.name)}, which is ${full} % full.`;
  }
  const possible = targets.find(({ available }) => available);
  if (possible !== undefined)
    return sentence`Where ${say(name)} is configured to run cannot take it now; ${WORDS[possible.kind]} ${say(possible.name)} could take it.`;
  const first = targets[0]?.reason?.message ?? 'There is no Device yet.';
  return sentence`No place can take ${say(name)} now. ${first}`;
}
