/** What this runner cannot do, found before any process starts. The admission check elsewhere asks the same of stored rows. */
import { existsSync } from 'node:fs';
import { refusalOfRenditions } from '../../domain/rendition-rules.ts';
import type { RunSpec, SourceSpec } from '../../domain/run.ts';
import { channelIssues, STREAM_SCHEMES, urlIssue } from '../../domain/channel.ts';

/** One sentence that names what is missing, or undefined. */
export function refusalOfRun(spec: RunSpec): string | undefined {
  return refusalOfSource(spec.source) ?? refusalOfRenditions(spec.renditions) ?? refusalOfOutputs(spec);
}

export function refusalOfSource({ type, path, settings, name }: SourceSpec): string | undefined {
  const channel = `Channel "${name}"`;
  if (type === 'File') {
    if (path === null) return `${channel} of type File has no media file.`;
    return existsSync(path) ? undefined : `The media file of ${channel} is not on this Device.`;
  }
  if (type === 'Stream') {
    const issue = settings.url === undefined ? 'is missing' : urlIssue(settings.url, STREAM_SCHEMES);
    return issue === undefined ? undefined : `The URL of ${channel} ${issue}.`;
  }
  if (type === 'UDP-R Cloud' || type === 'SRT Cloud')
    return `${channel} is of type ${type}, which only a Cloud account with a gateway takes in.`;
  const [issue] = channelIssues({ type, settings });
  return issue === undefined
    ? undefined
    : `The setting ${issue.field.replace(/^settings\./u, '')} of ${channel} ${issue.message}.`;
}

function refusalOfOutputs({ outputs }: RunSpec): string | undefined {
  return outputs.some(({ primary, backup }) => primary || backup === true)
    ? undefined
    : 'No Destination path is switched on.';
}
