/** The resources as the feed's `changed` names them, and which of them an operation reads. */
const RESOURCES = [
  'users',
  'security/tokens',
  'security/assistants',
  'usergroups',
  'channels',
  'encodings',
  'encodings/groups',
  'publishings',
  'publishings/groups',
  'assets',
  'livestreams',
  'walls',
  'schedules',
  'plannedActions',
  'recordings',
  'devices',
  'devices/groups',
  'settings/integrations/drmproviders',
  'settings/integrations/cloud',
  'settings/integrations/transcription/config',
  'remotefolders',
  'targetfolders',
  'system/licenses',
  'system/mailRules',
  'system/audit',
];

/** Paths whose rows are another resource's than the path begins with. */
const ELSEWHERE: Readonly<Record<string, string>> = { 'livestreams/{livestreamId}/actions': 'plannedActions' };

/** The longest resource that the path begins with; `encodings/groups` is not `encodings`. */
export function resourceOf(path: string): string {
  const bare = path.replace(/^\/(?:svcapiv2\/)?/u, '');
  const named = RESOURCES.filter((resource) => `${bare}/`.startsWith(`${resource}/`));
  return ELSEWHERE[bare] ?? named.sort((a, b) => b.length - a.length)[0] ?? bare;
}
