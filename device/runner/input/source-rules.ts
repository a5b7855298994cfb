/**
 * Rules of a source on this machine: whether it can be opened, and whether a second connection to it is possible. Some sources can be taken
 * in twice, some have one port or one line.
 */
import { existsSync } from 'node:fs';
import { channelIssues, urlIssue } from '../../../domain/shapes/sources/channel.ts';
import type { RunSpec, SourceSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import { isRist, listensForRist } from '../../../domain/network/rist.ts';
import {
  hasSetting,
  isKnownType,
  isOfCloud,
  isPushed,
  isSrt,
  playsAsset,
} from '../../../domain/types/channel-questions.ts';
import { CHANNEL_ROWS } from '../../../domain/types/channel-types.ts';

/** A file beside which no other source runs is read as its frames are taken; one that is not on air would stand still else. */
export function isReadAhead({ source, backup }: RunSpec): boolean {
  return playsAsset(source) && backup === undefined;
}

/** Returns one sentence for a source of a type that a newer server has; undefined for all others. */
export function refusalOfType({ type, name }: SourceSpec): string | undefined {
  return isKnownType(type)
    ? undefined
    : `Channel "${name}" is of type ${String(type)}, which this Device does not know; update it.`;
}

/** Returns one sentence that names what is missing for a source, or undefined. */
export function refusalOfSource(source: SourceSpec): string | undefined {
  const unknown = refusalOfType(source);
  if (unknown !== undefined) return unknown;
  const { type, path, settings, name } = source;
  const channel = `Channel "${name}"`;
  if (playsAsset({ type })) {
    if (path === null) return `${channel} of type ${type} has no media file.`;
    return existsSync(path) ? undefined : `The media file of ${channel} is not on this Device.`;
  }
  if (hasSetting(type, 'url')) {
    const issue = settings.url === undefined ? 'is missing' : urlIssue(settings.url, CHANNEL_ROWS[type].schemes);
    return issue === undefined ? undefined : `The URL of ${channel} ${issue}.`;
  }
  if (isOfCloud({ type })) return `${channel} is of type ${type}, which only a Cloud account with a gateway takes in.`;
  const [issue] = channelIssues({ type, settings });
  return issue === undefined
    ? undefined
    : `The setting ${issue.field.replace(/^settings\./u, '')} of ${channel} ${issue.message}.`;
}

/** The port of this machine that the source comes to, which nobody else can have beside it. */
function listenPort({ type, settings }: SourceSpec): string | undefined {
  if (!hasSetting(type, 'url') || settings.url === undefined) return undefined;
  const { protocol, hostname, port } = new URL(settings.url);
  const isDatagram = protocol === 'udp:' || protocol === 'rtp:' || listensForRist(settings.url);
  return isDatagram && !isMulticast(hostname) ? `UDP port ${port}` : undefined;
}

/** Says why `source` cannot come in while `onAir` does; undefined when it can. */
export function collision(source: SourceSpec, onAir: SourceSpec): string | undefined {
  const port = listenPort(source);
  if (port === undefined || port !== listenPort(onAir)) return undefined;
  return `Channel "${source.name}" waits on ${port}, which Channel "${onAir.name}" holds while it is on air; give it another port.`;
}

/** Any number of receivers on a machine may join a group. */
function isMulticast(host: string): boolean {
  return /^(?:22[4-9]|23\d)\.|^\[ff/iu.test(host);
}

/** A second connection may be opened beside the first; a peer of SRT or RIST and a card serve one. */
export function allowsSecond(source: SourceSpec): boolean {
  if (isRist(source.settings.url)) return false;
  return isPushed(source) || (CHANNEL_ROWS[source.type].allowsSecond && listenPort(source) === undefined);
}

/** A longer latency of SRT hides longer gaps, but a picture that stands still for long looks like a fault. */
const MAX_RECEIVED_LATE_MS = 150;

/** SRT and RIST give what has come after their latency, so that a gap of that length has been hidden already. */
export function receivedLateMs({ type, settings }: SourceSpec): number {
  if (isRist(settings.url)) return Math.min(settings.rist?.buffer_ms ?? MAX_RECEIVED_LATE_MS, MAX_RECEIVED_LATE_MS);
  return isSrt(type) ? Math.min(settings.latency_ms ?? MAX_RECEIVED_LATE_MS, MAX_RECEIVED_LATE_MS) : 0;
}
