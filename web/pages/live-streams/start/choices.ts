/** The choices of the start dialog and what it sends, without its views. */
import type { Schemas } from '../../../../client/types.d.ts';

export type Target = NonNullable<Schemas['GetStartTargetsWorkflowRecommended']>;
export type Reason = Schemas['GetStartTargetsWorkflowReason'];
export type Outlet = Schemas['LivestreamStartConfigEntry'];

/** Names a target: `device 3`. */
export function targetKey({ kind, start }: Target): string {
  return `${kind} ${start.deviceId ?? start.idEncoderGroup ?? start.cloudAccountId ?? ''}`;
}

/** The one that the person has chosen while it can still be had, otherwise the server's recommendation. */
export function targetOf(targets: readonly Target[], chosen: string | undefined): Target | undefined {
  const own = targets.find((target) => targetKey(target) === chosen);
  return own?.available === true ? own : targets.find(({ recommended, available }) => recommended && available);
}

export function goesOut(outlets: readonly Outlet[]): boolean {
  return outlets.some(({ primary, backup }) => primary || backup);
}

/** Destinations that are all off are switched on in the dialog itself. */
function isAboutOutlets({ code, message }: Reason): boolean {
  return code === 'unbound' && message.startsWith('Every Destination is switched off');
}

/** The reasons against a start with these Destinations. */
export function reasonsAgainst(reasons: readonly Reason[], outlets: readonly Outlet[]): Reason[] {
  return goesOut(outlets) ? reasons.filter((reason) => !isAboutOutlets(reason)) : [...reasons];
}

/** No list of qualities stands for all of them. */
export function hasQuality({ qualities }: Outlet, encodingId: number): boolean {
  return qualities === undefined || qualities.includes(encodingId);
}

export function withQuality(outlet: Outlet, encodingId: number, isOn: boolean, all: readonly number[]): Outlet {
  const { qualities: _before, ...rest } = outlet;
  const next = all.filter((id) => (id === encodingId ? isOn : hasQuality(outlet, id)));
  return next.length === all.length ? rest : { ...rest, qualities: next };
}

function textOf(outlets: readonly Outlet[]): string {
  const sorted = [...outlets].sort((one, other) => one.publishingId - other.publishingId);
  return JSON.stringify(
    sorted.map(({ publishingId, primary, backup, qualities }) => [
      publishingId,
      primary,
      backup,
      qualities === undefined ? null : [...qualities].sort((one, other) => one - other),
    ]),
  );
}

/** Whether the person has changed what goes out: the workflow starts with the last configuration alone. */
export function isPreset(outlets: readonly Outlet[], preset: readonly Outlet[]): boolean {
  return textOf(outlets) === textOf(preset);
}
