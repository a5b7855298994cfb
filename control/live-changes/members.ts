/**
 * Keeps the Destinations of runs equal to the members of the Publishing groups that they deliver to. The group's row is the order; a run
 * whose Device is away follows once it is back.
 */
import type { Clock } from '../../domain/time/clock.ts';
import type { Control } from '../../domain/ports/control.ts';
import { AppError } from '../../domain/base/errors.ts';
import type { Log } from '../../domain/base/log.ts';
import type { Run } from '../../domain/shapes/broadcasts/run.ts';
import type { Store } from '../../domain/ports/store.ts';

export interface MembersDeps {
  store: Store;
  /** Whether this server orders what the run's Device does. */
  isOwn(run: Readonly<Run>): boolean;
  changeLive: Control['changeLive'];
  clock: Clock;
  log: Log;
}

const RETRY_MS = 1000;

export class Members {
  private readonly deps: MembersDeps;
  /** Live streams whose run is being brought in line, and whether to look once more afterwards. */
  private readonly underWay = new Map<number, { again: boolean }>();
  private isClosed = false;

  constructor(deps: MembersDeps) {
    this.deps = deps;
  }

  close(): void {
    this.isClosed = true;
  }

  /** Looks at all runs on a Device, as when it is there again. */
  async lookAt(deviceId: number): Promise<void> {
    const { rows } = await this.deps.store.find('runs', { where: { deviceId, status: 2 } }).catch(() => ({ rows: [] }));
    for (const { id } of rows) this.look(id);
  }

  async groupChanged(groupId: number): Promise<void> {
    const { rows } = await this.deps.store.find('runs', { where: { status: 2 } });
    for (const { id, boundGroup } of rows) if (boundGroup === groupId) this.look(id);
  }

  /** Brings the run of the Live stream in line, as often as it takes. */
  look(livestreamId: number): void {
    const present = this.underWay.get(livestreamId);
    if (present !== undefined) {
      present.again = true;
      return;
    }
    const state = { again: false };
    this.underWay.set(livestreamId, state);
    void this.follow(livestreamId).then((isDone) => {
      this.underWay.delete(livestreamId);
      if (state.again) this.look(livestreamId);
      else if (!isDone) this.deps.clock.after(RETRY_MS, () => this.look(livestreamId));
    });
  }

  /** Resolves with false when the run could not be reached. */
  private async follow(livestreamId: number): Promise<boolean> {
    const { store, changeLive, log } = this.deps;
    try {
      if (this.isClosed) return true;
      const body = await this.difference(livestreamId);
      if (body === undefined) return true;
      await changeLive(livestreamId, { kind: 'members', body }, ({ settle }) => store.tx((tx) => settle(tx)));
      return true;
    } catch (error) {
      if (this.isClosed) return true;
      const isAway = error instanceof AppError && (error.code === 'unavailable' || error.code === 'timeout');
      // A run that has ended or ends follows nothing any more; the next one is made of the group as it is then.
      if (!isAway && !(error instanceof AppError && error.code === 'wrong_state'))
        log.error({ err: error, livestreamId }, 'The Destinations on air could not follow their group.');
      return !isAway;
    }
  }

  private async difference(livestreamId: number): Promise<{ add: number[]; remove: number[] } | undefined> {
    const { store } = this.deps;
    const run = (await store.get('runs', livestreamId))?.row;
    // A run on the cloud platform has the set of its start there.
    if (run?.status !== 2 || run.desired !== 'on' || run.boundGroup === undefined || run.deviceId === null)
      return undefined;
    // Another server does it that orders what its Device does, or one will once the Device is there.
    if (!this.deps.isOwn(run)) return undefined;
    const group = (await store.get('publishingGroups', run.boundGroup))?.row;
    if (group === undefined) return undefined;
    const add = group.elements.filter((id) => !run.boundPublishings.includes(id));
    const remove = run.boundPublishings.filter((id) => !group.elements.includes(id));
    return add.length === 0 && remove.length === 0 ? undefined : { add, remove };
  }
}
