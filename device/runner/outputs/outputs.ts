/** Makes the paths of a run's Destinations. */
import { isGated } from '../../../domain/shapes/broadcasts/run-move.ts';
import { toIso } from '../../../domain/time/clock.ts';
import { NetworkRefusal } from '../../../domain/network/networks.ts';
import type { OutputDrm, OutputSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import type { KeyRotationReport } from '../../../domain/shapes/broadcasts/run.ts';
import type { LadderPlan, RenditionPlan } from '../../media/ladder/ladder-plan.ts';
import { TICKS_PER_SECOND } from '../../media/mpeg-ts/mpeg-ts.ts';
import type { EventLog } from '../process/event-log.ts';
import type { Attempt, AttemptHooks } from './attempt.ts';
import { ATTEMPTS, type OutputContext } from './attempts.ts';
import { failoverWatch } from './backup-watch.ts';
import { DestinationPath } from './destination-path.ts';
import { isHeldBack } from './held-back.ts';
import { refusalOfOutput } from './output-refusal.ts';
import { KeyPeriods } from './segments/key-periods.ts';

export interface Output {
  spec: OutputSpec;
  primary: DestinationPath;
  backup: DestinationPath | undefined;
}

export function pathsOf({ primary, backup }: Output): DestinationPath[] {
  return backup === undefined ? [primary] : [primary, backup];
}

export function createOutput(spec: OutputSpec, context: OutputContext): Output {
  const onPrimaryChange = failoverWatch(() => output, context.events);
  const path = (which: 'primary' | 'backup', enabled: boolean): DestinationPath => {
    const { name, publishingId, retry } = spec;
    // The spec is read from the output, so that new settings count from the next attempt on.
    const begin = (hooks: AttemptHooks): Attempt =>
      beginGuarded({ spec: output.spec, which, keys, onPackedByFfmpeg }, context, hooks);
    const onChange = (): void => {
      if (which === 'primary') onPrimaryChange();
      context.onChange();
    };
    const isKept = (): boolean => isHeldBack(context.spec, output.spec, which);
    const isFenced = (): boolean => isGated(output.spec) && !context.lease.isHeld;
    return new DestinationPath(
      { name, publishingId, which, enabled, retry, isHeld: isKept, isFenced, begin, onChange },
      context.events,
      context.clock,
    );
  };
  const { stream, events } = context;
  const onPackedByFfmpeg = packerReporter(events, spec);
  const keys =
    spec.drm &&
    new KeyPeriods({
      drm: () => output.spec.drm!,
      wallMs: (seconds) => stream.clock.wallMs(seconds * TICKS_PER_SECOND),
      onReplaced: (index) => tellKeys(output, events, index, true),
      onMissing: (index) => tellKeys(output, events, index, false),
    });
  const output: Output = {
    spec,
    primary: path('primary', spec.primary),
    backup: spec.backup === null ? undefined : path('backup', spec.backup),
  };
  return output;
}

/** Tells once for all paths that keys were replaced, or are missing. */
function tellKeys({ spec }: Output, events: EventLog, index: number, areThere: boolean): void {
  const { publishingId, name, drm } = spec;
  const at = toIso(index * drm!.rotation!.periodMs);
  const data = { publishingId, period_start: at };
  if (areThere) events.add('keys_replaced', 'info', `"${name}" has new content keys, of the period from ${at}.`, data);
  else
    events.add(
      'keys_missing',
      'warning',
      `"${name}" has no content keys of the period from ${at}: the former ones go on until they come.`,
      data,
    );
}

/** Tells each reason once why an ffmpeg packs media of a copy. */
function packerReporter(events: EventLog, { publishingId, name }: OutputSpec): (why: string) => void {
  const reasons = new Set<string>();
  return (why) => {
    if (reasons.has(why)) return;
    reasons.add(why);
    const message = `Media for "${name}" is packed by ffmpeg from now on, which costs more of the processor: ${why}.`;
    events.add('runtime_changed', 'info', message, { change: 'packer', publishingId, reason: why });
  };
}

interface Begun {
  spec: OutputSpec;
  which: 'primary' | 'backup';
  keys: KeyPeriods | undefined;
  onPackedByFfmpeg(why: string): void;
}

const NO_OUTPUT: Attempt = { end: () => Promise.resolve() };

/** An attempt that cannot even begin is reported as down, like one that breaks later. */
function beginGuarded(
  { spec, which, keys, onPackedByFfmpeg }: Begun,
  context: OutputContext,
  hooks: AttemptHooks,
): Attempt {
  const renditions = renditionsFor(spec, context.plan);
  const { begin, refusalOf } = ATTEMPTS[spec.type];
  const refusal = refusalOfOutput(spec, { which, renditions, plan: context.plan, refusalOf });
  if (refusal !== undefined) {
    hooks.onDown(`${spec.type}: ${refusal}.`, true);
    return NO_OUTPUT;
  }
  try {
    const url = which === 'primary' ? spec.settings.url : spec.settings.backup_url;
    const name = `${spec.type.toLowerCase().replaceAll(/[^a-z0-9]+/gu, '-')}-${spec.publishingId}-${which}`;
    return begin({ spec, name, url, keys, renditions, context, onPackedByFfmpeg }, hooks);
  } catch (error) {
    hooks.onDown((error as Error).message, error instanceof TypeError || error instanceof NetworkRefusal);
    return NO_OUTPUT;
  }
}

function renditionsFor({ qualities }: OutputSpec, { renditions }: LadderPlan): RenditionPlan[] {
  const chosen = renditions.filter(({ encodingId }) => qualities.includes(encodingId));
  return qualities.length === 0 ? renditions : chosen;
}

/** The report of the keys of a Destination; undefined for keys that are never replaced. */
export function rotationReport(
  publishingId: number,
  drm: OutputDrm | undefined,
  nowMs: number,
): KeyRotationReport | undefined {
  if (drm?.rotation === undefined) return undefined;
  const { systems, encryption_mode, rotation } = drm;
  const { periodMs, periods, source } = rotation;
  const last = periods.at(-1)!.index;
  return {
    publishingId,
    ...source,
    systems: [...systems],
    encryption_mode,
    periodMs,
    present: Math.floor(nowMs / periodMs),
    last,
  };
}
