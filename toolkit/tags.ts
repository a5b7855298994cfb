/** The groups of operations, with their descriptions in the generated documents. */
export const TAGS: Readonly<Record<string, string>> = {
  Workflows: 'What people ask for in one sentence: start, stop, switch and ask, each with its outcome waited for.',
  'Live streams':
    'Configured, named broadcasts: what they are bound to, their start and stop, their status and event log.',
  'Runtime options': 'What can be changed on a broadcast while it is on air, without a restart.',
  Walls: 'Saved walls of tiles for monitors, and the links by which a display shows one without a sign-in.',
  Channels: 'Sources: where a Live stream gets its picture and sound.',
  Publishings: 'Destinations and Destination groups: where a Live stream is delivered, and how it is retried there.',
  Encodings: 'Renditions, and the groups (ladders) that viewers switch between.',
  Presets: 'Ready-made ladders, and templates of Destinations with what their platforms demand.',
  Schedules:
    'Broadcasts that start and stop by the clock, once or again and again, and the occurrences that are skipped.',
  'Planned actions': 'Single commands that are planned on a Live stream for an instant.',
  Recordings: 'What Destinations of type Record have kept: tracks, downloads, clips.',
  Devices: 'Encoder machines, their groups, capacity and health.',
  Assets: 'Logos, media files and clips that Live streams show.',
  DRM: 'Key servers for content protection.',
  Cloud: 'Accounts at the managed cloud platform.',
  Transcription: 'The hand-off of recordings to a transcription provider.',
  'Remote Folders': 'Network shares where Recordings are backed up before retention deletes them.',
  'Target Folders': 'FTP, SFTP and S3 places where clips are exported to.',
  Users: 'People who may sign in, their permissions and groups.',
  Security: 'API tokens and the sign-in of people.',
  System: 'This installation itself: licences, audit, the support bundle, health.',
};

/** The kind of thing that a tool is about: its tag, or the groups, which share the tag with their members and have ids of their own. */
export function kindOf({ name, tag }: { name: string; tag: string }): string {
  return /Groups?$/u.test(name) ? `${tag.replace(/s$/u, '')} groups` : tag;
}
