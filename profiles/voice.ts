import type { Profile } from '../toolkit/access.ts';
import type { Tool } from '../toolkit/tool.ts';

/** What a person says to a broadcast from across the room: how is it going, start, stop, show this, hide that. */
const DAY_TO_DAY =
  /^(live ?streams?|channels?|publishing|destination|encoding|schedule|planned|recording|device|asset)/iu;

const ON_AIR_SWITCHES = new Set([
  'startLivestream',
  'stopLivestream',
  'runtimeApplyLogo',
  'runtimeApplyBlackout',
  'runtimeTogglePublishings',
  'setLivestreamText',
]);

/** A stream key is a secret that nobody should have to say aloud. */
const NOT_SPOKEN = new Set(['update_destination_stream_key']);

/** A delete that gives back what was taken away. */
const GIVES_BACK = new Set(['restoreSkip']);

const isWorkflow = (tool: Tool): boolean => tool.tag === 'Workflows';
const isList = (tool: Tool): boolean => 'rows' in ((tool.output as { shape?: object }).shape ?? {});
const isStatus = (tool: Tool): boolean => /status$/iu.test(tool.name);

const RULES: readonly ((tool: Tool) => boolean)[] = [
  (tool) => isWorkflow(tool) && !NOT_SPOKEN.has(tool.name),
  (tool) => tool.effect === 'read' && DAY_TO_DAY.test(tool.tag) && (isList(tool) || isStatus(tool)),
  (tool) => ON_AIR_SWITCHES.has(tool.name),
  (tool) => /^schedule/iu.test(tool.tag),
  (tool) => /PublishingGroups?$/u.test(tool.name),
  (tool) => tool.name === 'updateChannel',
];

export const voice: Profile = {
  name: 'voice',
  // Voice is for operators on the day: nothing that only an administrator may do, whoever is speaking.
  allows: (tool) => tool.access === 'operator' && RULES.some((rule) => rule(tool)),
};

/** What nobody may do by one word that was misheard: it is done when it is confirmed. */
export function asksBack({ effect, name }: Pick<Tool, 'effect' | 'name'>): boolean {
  return effect === 'delete' && !GIVES_BACK.has(name);
}
