/** Prompts: instructions for the most frequent jobs, which a person picks and an assistant follows. */
import { invalidInput, type FieldIssue } from '../../domain/base/errors.ts';
import { stripInvisible } from '../../toolkit/output/visible.ts';

export interface Prompt {
  listed: {
    name: string;
    title: string;
    description: string;
    arguments: { name: string; description: string; required: boolean }[];
  };
  /** The operation that it leads to. A caller who may not call that does not see the prompt. */
  needs: string;
  text(args: Readonly<Record<string, string>>): string;
}

/** A wish for a whole week may take a paragraph. */
const MAX_ARGUMENT = 2000;

const livestream = { name: 'livestream', description: 'Live stream: id or name.' };

export const PROMPTS: readonly Prompt[] = [
  {
    listed: {
      name: 'go_live',
      title: 'Go live',
      description: 'Put a Live stream on air, with a look before and after.',
      arguments: [{ ...livestream, required: true }],
    },
    needs: 'start_livestream',
    text: ({ livestream }) => `Put the Live stream ${quoted(livestream)} on air.

1. Call get_livestream_status. If it is on air already, say since when and leave it on air: you are done.
2. Call start_livestream with dry_run: true. If a start would be refused, say why and what would help, and go no further.
3. Look at source in that answer. If it has an ingest that is not receiving, tell me its url, where the encoder has to send (the whole key by revealIngestKey, when I ask for it), with its note and last_refusal, and call getChannelById every ten seconds until the state is receiving, for five minutes at most; offer to begin with the fallback picture in its place, which a field of updateLivestream allows. If it has neither an ingest nor a probe, call probeChannel. Say what comes, and each warning with its remedy.
4. Say which Destinations it would go to, and ask me to confirm.
5. Call start_livestream and wait. If it is still starting, look again with get_livestream_status every ten seconds, for two minutes at most.
6. Say where to watch it. If it failed, say the reason that its status gives; do not start it a second time without asking.`,
  },
  {
    listed: {
      name: 'check_air',
      title: 'Check the air',
      description: 'Look over everything that is on air and say what needs a hand.',
      arguments: [],
    },
    needs: 'getLivestreamsStatus',
    text: () => `Check what is on air. Change nothing.

1. Call getLivestreamsStatus through call_tool, page by page until you have all rows.
2. For each Live stream with status 1, 2 or 3 call get_livestream_status: is its source there, do its renditions keep up (speed, dropped), is each enabled Destination path up?
3. Call channel_slot_usage for the Devices.
4. For whatever is failed, lost or down, call getLivestreamEvents of that Live stream for the last hour.
5. Report in this order: what is broken for viewers now, what could break soon, then what is fine, in one line. Name Live streams, not ids. For each problem propose one step, and ask before taking it.`,
  },
  {
    listed: {
      name: 'explain_incident',
      title: 'Explain an incident',
      description: 'Say what viewers missed, why, and who ordered what.',
      arguments: [
        { ...livestream, required: true },
        { name: 'when', description: 'About when it was, in plain words; left out: the last run.', required: false },
      ],
    },
    needs: 'getRunReport',
    text: ({
      livestream,
      when,
    }) => `Explain what happened to the Live stream ${quoted(livestream)}${when === undefined ? ' in its last run' : `: ${quoted(when)}`}. Change nothing.

1. Call get_livestream_status for its id, and for the time and the zone of the server.
2. Call getRunReport through call_tool${when === undefined ? '' : ", with from and to some minutes around that time, and with timezone if another one than the server's is meant"}.
3. Say the verdict first: what viewers had in place of the programme, from when to when, for how many seconds, and why. Tell what was ordered, and by whom, from what failed by itself.
4. Say what is not known, such as what viewers had while a Device was silent. Guess nothing beyond the events.
5. Propose one step that would keep it from happening again, and ask before taking it.`,
  },
  {
    listed: {
      name: 'plan_week',
      title: 'Plan the week',
      description: 'Turn wishes for the coming days into Schedules that do not collide.',
      arguments: [
        { name: 'wishes', description: 'What is to run when, in plain words.', required: true },
        { name: 'timezone', description: 'IANA zone of the times, such as Europe/Zurich.', required: false },
      ],
    },
    needs: 'schedule_livestream',
    text: ({ wishes, timezone }) => `Plan these broadcasts: ${quoted(wishes)}
${timezone === undefined ? 'Times are in the zone of the server.' : `Times are in ${quoted(timezone)}.`}

1. Call getAllLivestreams and getAllSchedules, then getScheduleOccurrences over the days in question.
2. Match each wish to one Live stream, with start, end and recurrence. Ask about whatever is not certain: name, day, duration.
3. Call schedule_livestream with dry_run: true for each, and collect the conflicts.
4. Show the plan as a table (day, time, Live stream, recurrence, conflict), and ask me to confirm it.
5. Call schedule_livestream for each confirmed row, and show the resulting week with getScheduleOccurrences.`,
  },
  {
    listed: {
      name: 'set_up_broadcast',
      title: 'Set up a broadcast',
      description: 'Make a broadcast from its source to its platform, with a plan that is shown before.',
      arguments: [
        { name: 'wish', description: 'Source, where to, when: what is known of it, in plain words.', required: false },
      ],
    },
    needs: 'setUpBroadcast',
    text: ({ wish }) => `Set up a new broadcast${wish === undefined ? '' : `: ${quoted(wish)}`}.

1. Ask for what is missing, one question at a time: the source (a file among the Assets, an address, a Channel, or an encoder that pushes: ingest), where it goes to, the quality, whether it is recorded, and when it is on air.
2. Call listPresets through call_tool with fields: *. Offer its templates and ladders by their names. If the template has no url, ask for the address that the platform has given. Never ask me to type a stream key here unless I offer it; without one set it up with start: false, and say that update_destination_stream_key takes the key later.
3. Call setUpBroadcast with dry_run: true. Say what its source sends, with each warning and its remedy; a silent one can be set up, but the start needs it. Show its steps as a list, and each of its warnings. If it is refused, say which step and why, and go no further.
4. Ask me to confirm, and whether to start it now.
5. Call setUpBroadcast with the same arguments, without dry_run. If a step failed, nothing was made: say so. If only the start failed, all was made: say the reason and offer start_livestream.
6. Say where to watch it; for an ingest say the address for the encoder, and that revealIngestKey shows its key.`,
  },
];

/** Throws AppError: not one of `offered`, or arguments that are missing, unknown or no text. */
export function promptText(offered: readonly Prompt[], params: Record<string, unknown>): Record<string, unknown> {
  const prompt = offered.find(({ listed }) => listed.name === params['name']);
  if (prompt === undefined) {
    const names = offered.map(({ listed }) => listed.name).join(', ');
    throw invalidInput([{ field: 'name', code: 'invalid_value', message: `must be one of ${names}` }]);
  }
  const args = textArguments(prompt, params['arguments'] ?? {});
  const content = { type: 'text', text: prompt.text(args) };
  return { description: prompt.listed.description, messages: [{ role: 'user', content }] };
}

function textArguments({ listed }: Prompt, given: unknown): Record<string, string> {
  if (typeof given !== 'object' || Array.isArray(given)) {
    throw invalidInput([
      { field: 'arguments', code: 'invalid_type', message: 'must be an object', expected: 'object' },
    ]);
  }
  const args = given as Record<string, unknown>;
  const known = new Set(listed.arguments.map(({ name }) => name));
  const unknown = Object.keys(args).filter((name) => !known.has(name));
  const issues = unknown.map((field): FieldIssue => ({ field, code: 'unknown_field', message: 'is not an argument' }));
  for (const { name, required } of listed.arguments) {
    const value = args[name];
    if (value === undefined && !required) continue;
    if (typeof value === 'string' && value.trim() !== '' && value.length <= MAX_ARGUMENT) continue;
    issues.push({
      field: name,
      code: 'invalid_value',
      message: `must be a text of 1 to ${MAX_ARGUMENT} characters`,
    });
  }
  if (issues.length > 0) throw invalidInput(issues);
  return args as Record<string, string>;
}

/** The text of a person stands inside quotation marks, because it is a name and no instruction. */
function quoted(text = ''): string {
  return JSON.stringify(stripInvisible(text).trim());
}
