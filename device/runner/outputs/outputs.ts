/** Makes the paths of a run's Destinations. */
import { isGated, OPEN_GATE } from '../../../domain/shapes/broadcasts/run-move.ts';
import { NetworkRefusal } from '../../../domain/network/networks.ts';
import type { OutputSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import type { LadderPlan, RenditionPlan } from '../../media/ladder/ladder-plan.ts';
import type { Attempt, AttemptHooks } from './attempt.ts';
import { ATTEMPTS, type OutputContext } from './attempts.ts';
import { DestinationPath, failoverWatch } from './destination-path.ts';
import { refusalOfOutput } from './output-refusal.ts';

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
    const begin = (hooks: AttemptHooks): Attempt => beginGuarded(output.spec, which, context, hooks);
    const onChange = (): void => {
      if (which === 'primary') onPrimaryChange();
      context.onChange();
    };
    const isKept = (): boolean => isGated(output.spec) && !(context.spec.gate ?? OPEN_GATE)[which];
    const isFenced = (): boolean => isGated(output.spec) && !context.lease.isHeld;
    return new DestinationPath(
      { name, publishingId, which, enabled, retry, isHeld: isKept, isFenced, begin, onChange },
      context.events,
      context.clock,
    );
  };
  const output: Output = {
    spec,
    primary: path('primary', spec.primary),
    backup: spec.backup === null ? undefined : path('backup', spec.backup),
  };
  return output;
}

const NO_OUTPUT: Attempt = { end: () => Promise.resolve() };

/** An attempt that cannot even begin is reported as down, like one that breaks later. */
function beginGuarded(
  spec: OutputSpec,
  which: 'primary' | 'backup',
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
    return begin({ spec, name, url, renditions, context }, hooks);
  } catch (error) {
    hooks.onDown((error as Error).message, error instanceof TypeError || error instanceof NetworkRefusal);
    return NO_OUTPUT;
  }
}

function renditionsFor({ qualities }: OutputSpec, { renditions }: LadderPlan): RenditionPlan[] {
  const chosen = renditions.filter(({ encodingId }) => qualities.includes(encodingId));
  return qualities.length === 0 ? renditions : chosen;
}
