/** Statuses that may have changed since they were sent, and by whom; they are compared together a moment later. */
import type { Actor, LiveMessage, StatusChange } from '../../domain/ports/live-watch.ts';
import type { LivestreamStatusView } from '../../domain/shapes/broadcasts/livestream-status.ts';
import { statusChange, withMembers } from './status-changes.ts';

/** A commit that follows a report within this time is taken for the cause of what that report changed. */
const SAME_CHANGE_MS = 2000;

interface Sent {
  view: LivestreamStatusView;
  atMs: number;
  /** The members of the last change; none for a view that was in a snapshot alone. */
  members: readonly (keyof LivestreamStatusView)[];
}

type StatusMessage = Extract<LiveMessage, { type: 'status' }>;

export class StatusQueue {
  private readonly sent = new Map<number, Sent>();
  private readonly dirty = new Map<number, Actor | undefined>();
  /** Answers undefined for a Live stream that has been deleted. */
  private readonly viewOf: (livestreamId: number) => LivestreamStatusView | undefined;

  constructor(viewOf: (livestreamId: number) => LivestreamStatusView | undefined) {
    this.viewOf = viewOf;
  }

  get isEmpty(): boolean {
    return this.dirty.size === 0;
  }

  /** Takes the present status for one that the listener knows. */
  know(livestreamId: number, nowMs: number): void {
    const view = this.viewOf(livestreamId);
    if (view !== undefined) this.sent.set(livestreamId, { view, atMs: nowMs, members: [] });
  }

  mark(livestreamId: number, by?: Actor): void {
    this.dirty.set(livestreamId, by ?? this.dirty.get(livestreamId));
  }

  /** Answers a message for each caller behind the changes, and forgets the marks. */
  take(nowMs: number): StatusMessage[] {
    const messages = new Map<string, { livestreams: StatusChange[]; by: Actor | undefined }>();
    for (const [livestreamId, by] of this.dirty) {
      const change = this.changeOf(livestreamId, by !== undefined, nowMs);
      if (change === undefined) continue;
      const key = by === undefined ? '' : `${by.via} ${by.user}`;
      const message = messages.get(key) ?? { livestreams: [], by };
      message.livestreams.push(change);
      messages.set(key, message);
    }
    this.dirty.clear();
    return [...messages.values()].map(({ livestreams, by }) => ({
      type: 'status',
      livestreams,
      ...(by !== undefined && { by }),
    }));
  }

  private changeOf(livestreamId: number, hasActor: boolean, nowMs: number): StatusChange | undefined {
    const now = this.viewOf(livestreamId);
    if (now === undefined) {
      this.sent.delete(livestreamId);
      return undefined;
    }
    const before = this.sent.get(livestreamId);
    const change = before === undefined ? now : statusChange(before.view, now);
    if (change !== undefined) {
      const members = Object.keys(change) as (keyof LivestreamStatusView)[];
      this.sent.set(livestreamId, { view: now, atMs: nowMs, members });
      return change;
    }
    if (!hasActor || before === undefined) return undefined;
    // The encoder's report of a change on air may come before its commit: who made it is then told with the same members again.
    const isRecent = nowMs - before.atMs < SAME_CHANGE_MS && before.members.length > 0;
    return withMembers(now, isRecent ? before.members : ['runtime']);
  }
}
