/** The rows of an ingest: its events, and the form in which a source was last received. */
import type { IngestEvent, IngestMark, IngestReport, KnownFormat } from '../../domain/shapes/sources/ingest.ts';
import { addEvent } from '../../domain/rules/rows/event-log.ts';
import { runUsers } from '../../domain/rules/rows/resource-users.ts';
import { calledIn } from '../../domain/base/sentence.ts';
import type { Store, Tx } from '../../domain/ports/store.ts';

/** A Device keeps the events of its last processes; those of older ones do not come any more. */
const MAX_EPOCHS = 8;

/** The events of one epoch come in order, and again after each reconnection. */
export function isAmong(epochs: IngestMark['epochs'], { epoch, seq }: IngestEvent): boolean {
  return epochs.some((known) => known.epoch === epoch && known.seq >= seq);
}

/** An event of a Channel for which the Device does not listen is none. Answers the last events that are stored from then on. */
export function storeEvent(tx: Tx, deviceId: number, event: IngestEvent): IngestMark['epochs'] {
  const epochs = tx.get('ingestMarks', deviceId)?.epochs ?? [];
  if (isAmong(epochs, event)) return epochs;
  const others = epochs.filter(({ epoch }) => epoch !== event.epoch);
  const mark = { id: deviceId, epochs: [...others, { epoch: event.epoch, seq: event.seq }].slice(-MAX_EPOCHS) };
  if (tx.get('ingestMarks', deviceId) === undefined) tx.insert('ingestMarks', mark);
  else tx.put('ingestMarks', mark);
  const { channelId, at, kind, severity, message } = event;
  const channel = tx.get('channels', channelId);
  const bound = tx.find('livestreams', { where: { channelId } }).rows;
  const backups = tx.find('livestreams', { where: { backupChannelId: channelId } }).rows;
  const users = [...bound, ...backups];
  if (channel?.deviceId === deviceId) {
    const ids = new Set([...users, ...runUsers(tx, 'boundChannels', channelId)].map(({ id }) => id));
    const data = { ...event.data, channelId };
    for (const id of ids.size === 0 ? [null] : ids) addEvent(tx, at, id, { kind, severity, message, data });
    return mark.epochs;
  }
  const data = { ...event.data, channelId, deviceId };
  const there = `${calledIn(tx, 'Device', deviceId)}, the second one that listens: ${message}`;
  for (const { id } of channel === undefined ? [] : users.filter(({ backupDeviceId }) => backupDeviceId === deviceId))
    addEvent(tx, at, id, { kind, severity, message: there, data });
  return mark.epochs;
}

export function storeFormat(tx: Tx, format: KnownFormat): void {
  if (tx.get('channels', format.id) === undefined) return;
  if (tx.get('knownFormats', format.id) === undefined) tx.insert('knownFormats', format);
  else tx.put('knownFormats', format);
}

export async function forgetFormat(store: Store, channelId: number): Promise<void> {
  if ((await store.get('knownFormats', channelId)) === undefined) return;
  await store.tx((tx) => tx.delete('knownFormats', channelId));
}

/** A measured rate is never quite the same twice. */
const FPS_TOLERANCE = 0.5;

export function isSameFormat(before: KnownFormat | undefined, now: KnownFormat): boolean {
  if (before?.width !== now.width || before.height !== now.height) return false;
  return Math.abs(before.fps - now.fps) < FPS_TOLERANCE;
}

/** Rates change with each report and are no other state. */
export function isSameState(before: IngestReport | undefined, now: IngestReport): boolean {
  return before !== undefined && JSON.stringify(withoutRates(before)) === JSON.stringify(withoutRates(now));
}

function withoutRates({ bitrate_kbps: _rate, video, ...rest }: IngestReport): object {
  return { ...rest, video: video && { ...video, fps: video.fps === null ? null : Math.round(video.fps) } };
}
