/** Acts on a broadcast on air, each as one order with its words and what takes it back. */
import { sendOrder } from '../../../api/commands.ts';
import type { BodyOf } from '../../../api/operation-types.ts';
import { serverNow } from '../../../live/clock.ts';
import { pathStateOf, viewOf } from '../../../live/streams.ts';
import type { LivestreamStatus, Path, Publishing } from '../../../live/status.ts';
import { words as common } from '../../../i18n/words.ts';
import { words } from '../words.ts';
import { openDialog } from './focus.ts';
import { memoryOf } from './memory.ts';
import { follow } from './orders.ts';

export type Position = NonNullable<BodyOf<'runtimeApplyLogo'>['logo']['position']>;

export function statusOf(id: number): LivestreamStatus | undefined {
  return viewOf(id)?.status.peek();
}

export function nameOf(id: number): string {
  return statusOf(id)?.name ?? String(id);
}

function applyBlackout(id: number, body: BodyOf<'runtimeApplyBlackout'>, undo: boolean): void {
  const { going, done } = words.peek().acts;
  const isBlack = body.mode !== 'Live';
  const order = sendOrder({ operation: 'runtimeApplyBlackout', params: { livestreamId: id }, body });
  follow(
    { livestreamId: id, control: 'blackout', words: isBlack ? going.black : going.live, order },
    {
      text: isBlack ? done.black(nameOf(id)) : done.live(nameOf(id)),
      undo: undo ? () => applyBlackout(id, isBlack ? { mode: 'Live' } : blackoutBody(id), false) : undefined,
    },
  );
}

function blackoutBody(id: number): BodyOf<'runtimeApplyBlackout'> {
  const { mode, filename, keepAudio } = memoryOf(id).blackout;
  return mode === 'File' && filename !== '' ? { mode, filename, keepAudio } : { mode: 'Black Frame', keepAudio };
}

export function toggleBlackout(id: number): void {
  const isBlack = statusOf(id)?.runtime.blackout !== 'Live';
  applyBlackout(id, isBlack ? { mode: 'Live' } : blackoutBody(id), true);
}

export function showLogo(id: number, filename: string, position?: string, undo = true): void {
  const { going, done } = words.peek().acts;
  const before = statusOf(id)?.runtime.logo ?? undefined;
  const isOn = filename !== '';
  if (isOn) memoryOf(id).logo = { filename, ...(position !== undefined && { position }) };
  else if (before !== undefined) memoryOf(id).logo = before;
  const logo = { filename, ...(position !== undefined && { position: position as Position }) };
  const order = sendOrder({ operation: 'runtimeApplyLogo', params: { livestreamId: id }, body: { logo } });
  follow(
    { livestreamId: id, control: 'logo', words: isOn ? going.logoOn : going.logoOff, order },
    {
      text: isOn ? done.logoOn(nameOf(id)) : done.logoOff(nameOf(id)),
      undo: undo ? () => showLogo(id, before?.filename ?? '', before?.position, false) : undefined,
    },
  );
}

/** The last logo on or off; where none is known, the list of them. */
export function toggleLogo(id: number): void {
  const present = statusOf(id)?.runtime.logo;
  const last = memoryOf(id).logo;
  if (present) showLogo(id, '', present.position);
  else if (last !== undefined) showLogo(id, last.filename, last.position);
  else openDialog({ kind: 'logo', id });
}

export function showText(id: number, body: BodyOf<'setLivestreamText'>, undo = true): void {
  const { going, done } = words.peek().acts;
  const before = statusOf(id)?.runtime.text ?? undefined;
  const isOn = body.action === 'show';
  memoryOf(id).text = body.text ?? before ?? memoryOf(id).text;
  const order = sendOrder({ operation: 'setLivestreamText', params: { livestreamId: id }, body });
  const back: BodyOf<'setLivestreamText'> =
    before === undefined ? { action: 'hide' } : { action: 'show', text: before };
  follow(
    { livestreamId: id, control: 'text', words: isOn ? going.textOn : going.textOff, order },
    {
      text: isOn ? done.textOn(nameOf(id)) : done.textOff(nameOf(id)),
      undo: undo ? () => showText(id, back, false) : undefined,
    },
  );
}

export function toggleText(id: number): void {
  const last = memoryOf(id).text;
  if (statusOf(id)?.runtime.text) showText(id, { action: 'hide' });
  else if (last !== undefined) showText(id, { action: 'show', text: last });
  else openDialog({ kind: 'text', id });
}

export function cue(id: number, type: 'CueOut' | 'CueIn'): void {
  const { going, done } = words.peek().acts;
  const memory = memoryOf(id);
  const isOut = type === 'CueOut';
  const body = isOut ? { type, metadata: { duration: memory.cueSeconds } } : { type };
  const order = sendOrder({ operation: 'runtimePushMetadata', params: { livestreamId: id }, body });
  follow(
    {
      livestreamId: id,
      control: isOut ? 'cueOut' : 'cueIn',
      words: isOut ? going.cueOut : going.cueIn,
      order,
    },
    {
      text: isOut ? done.cueOut(nameOf(id)) : done.cueIn(nameOf(id)),
      then: () => (memory.breakEndsAt = isOut ? serverNow() + memory.cueSeconds * 1000 : undefined),
    },
  );
}

export type PathKind = 'primary' | 'backup';

export function pathOf(publishing: Publishing, kind: PathKind): Path | null {
  return kind === 'primary' ? publishing.primary : publishing.backup;
}

function isLastUp({ publishings }: LivestreamStatus, publishingId: number, kind: PathKind): boolean {
  const own = publishings.find((each) => each.publishingId === publishingId);
  if (own === undefined || pathOf(own, kind)?.state !== 'up') return false;
  const up = publishings.flatMap((each) => [each.primary, each.backup]).filter((path) => path?.state === 'up');
  return up.length <= 1;
}

/** On or off; the last one that is up asks first. */
export function togglePath(id: number, publishingId: number, kind: PathKind): void {
  const status = statusOf(id);
  const publishing = status?.publishings.find((each) => each.publishingId === publishingId);
  const path = publishing === undefined ? null : pathOf(publishing, kind);
  if (status === undefined || path === null) return;
  if (path.enabled && isLastUp(status, publishingId, kind))
    openDialog({ kind: 'last-path', id, publishingId, path: kind });
  else setPath(id, publishingId, kind, !path.enabled);
}

interface Setting {
  undo?: boolean;
}

export function setPath(
  id: number,
  publishingId: number,
  kind: PathKind,
  isOn: boolean,
  { undo = true }: Setting = {},
): void {
  const { going, done } = words.peek().acts;
  const publishing = statusOf(id)?.publishings.find((each) => each.publishingId === publishingId);
  const path = `${publishing?.name ?? publishingId} ${words.peek().dialogs[kind]}`;
  const order = sendOrder({
    operation: 'runtimeTogglePublishings',
    params: { livestreamId: id },
    body: { publishings: [{ publishingId, [kind]: isOn }] },
  });
  follow(
    { livestreamId: id, control: 'paths', words: isOn ? going.pathOn(path) : going.pathOff(path), order },
    {
      text: isOn ? done.pathOn(nameOf(id), path) : done.pathOff(nameOf(id), path),
      undo: undo ? () => setPath(id, publishingId, kind, !isOn, { undo: false }) : undefined,
    },
  );
}

/** How the list of Destinations names a path. */
export function pathName(name: string, kind: PathKind): string {
  return `${name} ${words.value.dialogs[kind]}`;
}

export function pathWord(path: Path): string {
  return common.value.pathStates[pathStateOf(path)];
}
