/**
 * Turns a requested change of a Live stream on air into steps of its encoder. It is pure over a view, so the same check serves a dry run.
 */
import { invalidInput } from '../../domain/base/errors.ts';
import { adValueIssues, blackoutIssues, logoIssues, textIssues } from '../../domain/rules/broadcasts/command-rules.ts';
import { assertRules } from '../../domain/rules/rows/references.ts';
import type { AdValues, OutputSpec } from '../../domain/shapes/broadcasts/run-spec.ts';
import type { InForce } from '../../domain/shapes/broadcasts/run.ts';
import type { LiveChange } from '../../domain/shapes/changes/live-change.ts';
import { blackoutSpec, fallbackSpec, fileAsset, logoAsset, logoSpec, textSpec } from '../start/in-force.ts';
import { assertNotCopied, assertPicture, type OnAir } from './on-air.ts';
import { planMembers } from './member-plan.ts';
import { planPaths } from './path-plan.ts';
import { outputSpec } from '../start/run-spec.ts';
import { planRecord } from './record-plan.ts';
import { planSwitch } from './switch-plan.ts';
import { inForceStep, plainStep, withFiles, type Plan, type Step } from './change-steps.ts';

type Body<K extends LiveChange['kind']> = Extract<LiveChange, { kind: K }>['body'];

/** Throws AppError for a change that this run cannot carry out. */
export function planChange(onAir: OnAir, change: LiveChange): Plan {
  switch (change.kind) {
    case 'logo':
      return planLogo(onAir, change.body);
    case 'blackout':
      return planBlackout(onAir, change.body);
    case 'text':
      return planText(onAir, change.body);
    case 'paths':
      return planPaths(onAir, change.body);
    case 'source':
      return planSwitch(onAir, change.body);
    case 'metadata': {
      const { type, metadata } = change.body;
      return { steps: [plainStep({ type: 'cue', cue: { ...metadata, type } })], notes: [] };
    }
    case 'adValues':
      return planAdValues(onAir, change.body);
    case 'output':
      return { steps: [plainStep({ type: 'output', output: outputOf(onAir, change.body) })], notes: [] };
    case 'options':
      return planOptions(onAir, change.body);
    case 'record':
      return planRecord(onAir, change.body);
    case 'members':
      return planMembers(onAir, change.body);
  }
}

/** Names what the change touches. Two changes of one subject must not be under way at once: each would keep the other's old values. */
export function queueKeysOf(livestreamId: number, change: LiveChange): string[] {
  const subjects = {
    logo: ['logo'],
    blackout: ['blackout'],
    text: ['text'],
    source: ['source'],
    metadata: [],
    adValues: ['adValues'],
    record: ['record'],
    members: ['members'],
    options: ['options', 'logo', 'text'],
    paths: change.kind === 'paths' ? change.body.publishings.map(({ publishingId }) => `path ${publishingId}`) : [],
    output: change.kind === 'output' ? [`path ${change.body.id}`] : [],
  }[change.kind];
  return [...new Set(subjects)].map((subject) => `${livestreamId} ${subject}`);
}

function planLogo(onAir: OnAir, { logo: input }: Body<'logo'>): Plan {
  assertPicture(onAir, 'A logo');
  assertRules(logoIssues(onAir.view, { logo: input }));
  const position = input.position ?? onAir.inForce.logo?.position ?? 'Top-Right';
  return { steps: [logoStep(onAir, { filename: input.filename, position })], notes: [] };
}

function logoStep({ inForce, files }: OnAir, logo: InForce['logo']): Step {
  const step = inForceStep({ type: 'picture', picture: { logo: logoSpec(logo, files) } }, inForce, { logo });
  return withFiles(step, [{ use: 'logo', asset: logoAsset(logo) }]);
}

function planBlackout(onAir: OnAir, { mode, keepAudio, ...input }: Body<'blackout'>): Plan {
  const filename = input.filename ?? null;
  assertNotCopied(onAir, 'A blackout');
  assertRules(blackoutIssues(onAir.view, { mode, keepAudio, ...input }));
  const blackout = { mode, filename, keepAudio };
  const change = { type: 'picture', picture: { blackout: blackoutSpec(blackout, onAir.files) } } as const;
  const step = inForceStep(change, onAir.inForce, { blackout });
  return { steps: [withFiles(step, [{ use: 'blackout', asset: fileAsset(filename, 'blackout') }])], notes: [] };
}

function planText(onAir: OnAir, { action, ...input }: Body<'text'>): Plan {
  assertPicture(onAir, 'A text');
  const before = onAir.inForce.overlay;
  const text = input.text ?? before?.text ?? '';
  assertRules(textIssues({ action, ...input }));
  if (action === 'show' && text === '')
    assertRules([{ field: 'text', code: 'required', message: 'is required: no text was shown before' }]);
  const { position, size, color } = {
    position: 'Bottom',
    size: 36,
    color: '#ffffff',
    ...before,
    ...defined(input),
  } as const;
  const overlay = { text, position, size, color, visible: action === 'show' };
  const notes = action === 'hide' && textSpec(before) === null ? ['No text was shown.'] : [];
  return { steps: [textStep(onAir, action === 'hide' && before === null && text === '' ? null : overlay)], notes };
}

function textStep({ inForce }: OnAir, overlay: InForce['overlay']): Step {
  return inForceStep({ type: 'picture', picture: { text: textSpec(overlay) } }, inForce, { overlay });
}

function planAdValues({ inForce }: OnAir, body: Body<'adValues'>): Plan {
  const input = defined(body) as Partial<AdValues>;
  const issues = adValueIssues(body);
  if (issues.length > 0) throw invalidInput(issues);
  const newValues = { ...inForce.adValues, ...input };
  const secondsText = (seconds: number | null): string => (seconds === null ? 'none' : `${seconds} s`);
  const next =
    input.next_ad_duration === undefined ? [] : [`of the next break alone ${secondsText(newValues.next_ad_duration)}`];
  const durations = [
    `by default ${secondsText(newValues.default_ad_duration)}`,
    `at most ${secondsText(newValues.max_ad_duration)}`,
    ...next,
  ];
  // The next break uses its value up, and a run that is handed over again must not use it a second time.
  const lastingValues = { ...newValues, next_ad_duration: null };
  const step = inForceStep({ type: 'adValues', adValues: input }, inForce, { adValues: lastingValues });
  return { steps: [step], notes: [`Ad durations: ${durations.join(', ')}.`] };
}

/** Drawn options and the others are separate steps, because each succeeds or fails by itself. */
function planOptions(onAir: OnAir, options: Body<'options'>): Plan {
  const { inForce, files } = onAir;
  const { logo, overlay, fallback } = options;
  const differs = (field: keyof typeof options): boolean =>
    JSON.stringify(options[field]) !== JSON.stringify(inForce[field]);
  const steps: Step[] = [];
  // A logo that was cleared on air is remembered for its position alone.
  if (differs('logo') && (logo?.filename || inForce.logo?.filename)) steps.push(logoStep(onAir, logo));
  // A text that is hidden before and after is remembered for its next showing.
  const changesText = JSON.stringify(textSpec(overlay)) !== JSON.stringify(textSpec(inForce.overlay));
  if (changesText) steps.push(textStep(onAir, overlay));
  for (const field of ['crop', 'scteMarkers', 'failover', 'sound', 'detect'] as const) {
    const change = { [field]: options[field] };
    if (differs(field)) steps.push(inForceStep({ type: 'options', options: change }, inForce, change));
  }
  if (differs('fallback')) {
    const change = { type: 'options', options: { fallback: fallbackSpec(fallback, files) } } as const;
    const step = inForceStep(change, inForce, { fallback });
    steps.push(withFiles(step, [{ use: 'fallback', asset: fileAsset(fallback.filename, 'fallback') }]));
  }
  return { steps, notes: [], ...(!changesText && differs('overlay') && { remember: { overlay } }) };
}

function outputOf({ run, keyOf }: OnAir, publishing: Body<'output'>): OutputSpec {
  const entry = run.startConfig.find(({ publishingId }) => publishingId === publishing.id);
  return outputSpec(publishing, entry, run.boundEncodings, keyOf);
}

function defined<T extends object>(input: T): Partial<T> {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)) as Partial<T>;
}
