/** What this runner cannot do, found before any process starts. The admission check elsewhere asks the same of stored rows. */
import { existsSync } from 'node:fs';
import type { RenditionSpec, RunSpec, SourceSpec } from '../../domain/run.ts';
import { STREAM_SCHEMES, urlIssue } from '../../domain/channel.ts';

const VIDEO = ['h264', 'hevc', 'copy'];
const AUDIO = ['mp4a', 'mp3', 'opus', 'mpga', 'copy'];

/** One sentence that names what is missing, or undefined. */
export function refusalOfRun(spec: RunSpec): string | undefined {
  return refusalOfSource(spec.source) ?? refusalOfRenditions(spec.renditions) ?? refusalOfOutputs(spec);
}

function refusalOfSource({ type, path, settings, name }: SourceSpec): string | undefined {
  const channel = `Channel "${name}"`;
  if (type === 'File') {
    if (path === null) return `${channel} of type File has no media file.`;
    return existsSync(path) ? undefined : `The media file of ${channel} is not on this Device.`;
  }
  if (type === 'Stream') {
    const issue = settings.url === undefined ? 'is missing' : urlIssue(settings.url, STREAM_SCHEMES);
    return issue === undefined ? undefined : `The URL of ${channel} ${issue}.`;
  }
  return `${channel} is of type ${type}, which this Device cannot take in yet; it takes File and Stream.`;
}

function refusalOfRenditions(renditions: readonly RenditionSpec[]): string | undefined {
  if (renditions.length === 0) return 'The run has no rendition to encode.';
  for (const { name, video, audio } of renditions) {
    const encoding = `Encoding "${name}"`;
    if (video === null && audio === null) return `${encoding} has neither video nor audio.`;
    if (video !== null && !VIDEO.includes(video.codec)) {
      return `${encoding} asks for video codec ${video.codec}, which this Device cannot encode into a transport stream; use h264 or hevc.`;
    }
    if (video !== null && video.hdr_mode !== 'off')
      return `${encoding} asks for ${video.hdr_mode}; this Device encodes 8-bit pictures only.`;
    if (audio !== null && !AUDIO.includes(audio.codec)) {
      return `${encoding} asks for audio codec ${audio.codec}, which this Device cannot encode; use mp4a, mp3 or opus.`;
    }
    if (audio !== null && audio.channels > 2)
      return `${encoding} asks for ${audio.channels} audio channels; this Device mixes stereo.`;
    const copies = video?.codec === 'copy' || audio?.codec === 'copy';
    if (copies && renditions.length > 1)
      return `${encoding} copies the source; that works with a single Encoding only.`;
    if (audio?.codec === 'copy' && video !== null && video.codec !== 'copy')
      return `${encoding} copies audio beside encoded video; set both to copy.`;
  }
  return undefined;
}

function refusalOfOutputs({ outputs }: RunSpec): string | undefined {
  return outputs.some(({ primary, backup }) => primary || backup === true)
    ? undefined
    : 'No Destination path is switched on.';
}
