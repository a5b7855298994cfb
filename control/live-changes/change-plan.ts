/**
 * Turns a requested change of a Live stream on air into steps of its encoder. It is pure over a view, so the same check serves a dry run.
 */
import { invalidInput } from '../../domain/base/errors.ts';
import { bodyIssues } from '../../domain/rules/broadcasts/command-rules.ts';
import { assertRules } from '../../domain/rules/rows/references.ts';
import type { OutputSpec } from '../../domain/shapes/broadcasts/run-spec.ts';
import type { InForce } from '../../domain/shapes/broadcasts/run.ts';
import { changeRowOf, isSetting, settingOf } from '../../domain/shapes/changes/change-questions.ts';
import type { ChangeBody, SettingKind } from '../../domain/shapes/changes/changes.ts';
import type { LiveBody, LiveChange } from '../../domain/shapes/changes/live-change.ts';
import { settingChange } from '../../domain/shapes/changes/run-change.ts';
import { blackoutSpec, fallbackSpec, fileAsset, logoAsset, logoSpec, textSpec } from '../start/in-force.ts';
import { assertNeeds, type OnAir } from './on-air.ts';
import { planMembers } from './member-plan.ts';
import { planPaths } from './path-plan.ts';
import { outputSpec } from '../start/run-spec.ts';
import { planRecord } from './record-plan.ts';
import { planSwitch } from './switch-plan.ts';
import { inForceStep, plainStep, withFiles, type Plan, type Step } from './change-steps.ts';

const PLANS: {
  [K in Exclude<LiveChange['kind'], SettingKind>]: (onAir: OnAir, body: LiveBody<K>) => Plan;
} = {
  logo: planLogo,
  blackout: planBlackout,
  text: planText,
  paths: planPaths,
  source: planSwitch,
  metadata: (_, { type, metadata }) => ({ steps: [plainStep({ type: 'cue', cue: { ...metadata, type } })], notes: [] }),
  output: (onAir, body) => ({ steps: [plainStep({ type: 'output', output: outputOf(onAir, body) })], notes: [] }),
  options: planOptions,
  record: planRecord,
  members: planMembers,
};

/** Throws AppError for a change that this run cannot carry out. */
export function planChange(onAir: OnAir, { kind, body }: LiveChange): Plan {
  return isSetting(kind) ? planSetting(onAir, kind, body as never) : PLANS[kind](onAir, body as never);
}

/** Names what the change touches. Two changes of one subject must not be under way at once: each would keep the other's old values. */
export function queueKeysOf(livestreamId: number, change: LiveChange): string[] {
  return [...new Set(subjectsOf(change))].map((subject) => `${livestreamId} ${subject}`);
}

function subjectsOf(change: LiveChange): string[] {
  switch (change.kind) {
    case 'members':
      return ['members'];
    case 'options':
      return ['options', 'logo', 'text'];
    case 'output':
      return [`path ${change.body.id}`];
    default:
      return changeRowOf(change.kind).subjects(change.body);
  }
}

/** Plans a change whose row says all that there is to it. */
function planSetting<K extends SettingKind>(onAir: OnAir, kind: K, body: ChangeBody<K>): Plan {
  const { inForce, view } = onAir;
  const setting = settingOf(kind);
  assertNeeds(onAir, kind);
  const mistakes = changeRowOf(kind).mistakes(body);
  if (mistakes.length > 0) throw invalidInput(mistakes);
  assertRules(bodyIssues(view, kind, body));
  const sent = defined(setting.of(body));
  const values = { ...inForce[kind], ...sent };
  // A run that is handed over again must not use it a second time.
  const lasting = { ...values, ...Object.fromEntries(setting.usedUp.map((field) => [field, null])) };
  const step = inForceStep(settingChange(kind, sent), inForce, { [kind]: lasting });
  return { steps: [step], notes: setting.notes(values, sent) };
}

function planLogo(onAir: OnAir, { logo: input }: LiveBody<'logo'>): Plan {
  assertNeeds(onAir, 'logo');
  assertRules(bodyIssues(onAir.view, 'logo', { logo: input }));
  const position = input.position ?? onAir.inForce.logo?.position ?? 'Top-Right';
  return { steps: [logoStep(onAir, { filename: input.filename, position })], notes: [] };
}

function logoStep({ inForce, files }: OnAir, logo: InForce['logo']): Step {
  const step = inForceStep({ type: 'picture', picture: { logo: logoSpec(logo, files) } }, inForce, { logo });
  return withFiles(step, [{ use: 'logo', asset: logoAsset(logo) }]);
}

function planBlackout(onAir: OnAir, { mode, keepAudio, ...input }: LiveBody<'blackout'>): Plan {
  const filename = input.filename ?? null;
  assertNeeds(onAir, 'blackout');
  assertRules(bodyIssues(onAir.view, 'blackout', { mode, keepAudio, ...input }));
  const blackout = { mode, filename, keepAudio };
  const change = { type: 'picture', picture: { blackout: blackoutSpec(blackout, onAir.files) } } as const;
  const step = inForceStep(change, onAir.inForce, { blackout });
  return { steps: [withFiles(step, [{ use: 'blackout', asset: fileAsset(filename, 'blackout') }])], notes: [] };
}

function planText(onAir: OnAir, { action, ...input }: LiveBody<'text'>): Plan {
  assertNeeds(onAir, 'text');
  const before = onAir.inForce.overlay;
  const text = input.text ?? before?.text ?? '';
  assertRules(bodyIssues(onAir.view, 'text', { action, ...input }));
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

/** Drawn options and the others are separate steps, because each succeeds or fails by itself. */
function planOptions(onAir: OnAir, options: LiveBody<'options'>): Plan {
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
  const remember = {
    ...(!changesText && differs('overlay') && { overlay }),
    ...(differs('alarms') && { alarms: options.alarms }),
  };
  return { steps, notes: [], remember };
}

function outputOf({ run, keyOf }: OnAir, publishing: LiveBody<'output'>): OutputSpec {
  const entry = run.startConfig.find(({ publishingId }) => publishingId === publishing.id);
  return outputSpec(publishing, entry, run.boundEncodings, keyOf);
}

function defined<T extends object>(input: T): Partial<T> {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)) as Partial<T>;
}
