import type { CollectionName } from '../../ports/collections.ts';
import type { ActionBody, ActionType, PlannedAction } from '../../shapes/schedules/planned-action.ts';
import { changeRowOf, kindOfAction } from '../../shapes/changes/change-questions.ts';
import type { ResourceUser } from '../../ports/resource.ts';
import type { View } from '../../ports/store.ts';

type Binding =
  | 'channelId'
  | 'backupChannelId'
  | 'encodingId'
  | 'encodingGroupId'
  | 'publishingId'
  | 'publishingGroupId'
  | 'deviceId'
  | 'backupDeviceId'
  | 'idEncoderGroup';

/** Live streams bound to a resource through one of their reference fields. */
export function livestreamUsers(view: View, field: Binding, id: number): ResourceUser[] {
  const { rows } = view.find('livestreams', { where: { [field]: id }, limit: 20 });
  return rows.map((row) => ({ resource: 'Live stream', id: row.id, name: row.name }));
}

/** Schedules that name it, including paused ones. */
export function scheduleUsers(view: View, field: 'livestreamId' | 'idEncoderGroup', id: number): ResourceUser[] {
  const { rows } = view.find('schedules', { where: { [field]: id }, limit: 20 });
  return rows.map((row) => ({ resource: 'Schedule', id: row.id, name: row.name }));
}

/** Groups that have the id among their elements. */
export function groupUsers(
  view: View,
  collection: Extract<CollectionName, 'encodingGroups' | 'publishingGroups'>,
  noun: string,
  id: number,
): ResourceUser[] {
  const { rows } = view.find(collection, {});
  return rows.filter((row) => row.elements.includes(id)).map((row) => ({ resource: noun, id: row.id, name: row.name }));
}

/** Live streams whose run uses it, whatever has been unbound since. */
export function runUsers(
  view: View,
  field: 'boundPublishings' | 'boundEncodings' | 'boundChannels',
  id: number,
): ResourceUser[] {
  const { rows } = view.find('runs', { where: { status: { in: [1, 2] } } });
  return rows
    .filter((run) => run[field]?.includes(id) === true)
    .map((run) => ({ resource: 'Live stream', id: run.id, name: view.get('livestreams', run.id)?.name ?? '' }));
}

/** Live streams whose run is at a place, or still has to be ended there. */
export function placeUsers(view: View, place: { deviceId: number } | { cloudAccountId: number }): ResourceUser[] {
  const waiting = 'deviceId' in place ? view.find('runs', { where: { otherDeviceId: place.deviceId } }).rows : [];
  return [...view.find('runs', { where: { ...place } }).rows, ...waiting]
    .filter(({ status, desired }) => status === 1 || status === 2 || (status === 3 && desired === 'off'))
    .map((run) => ({ resource: 'Live stream', id: run.id, name: view.get('livestreams', run.id)?.name ?? '' }));
}

/** Pending actions that name it and would fail without it. */
export function actionUsers<T extends ActionType>(
  view: View,
  type: T,
  names: (payload: ActionBody<T>) => boolean,
): ResourceUser[] {
  const { rows } = view.find('plannedActions', { where: { status: 'pending', type } });
  return rows.filter(({ payload }) => names(payload as ActionBody<T>)).map((action) => actionUser(view, action));
}

type NamesOf = Pick<ReturnType<typeof changeRowOf>, 'files' | 'rows'>;

/** Pending changes on air that name it: `names` asks the row of the change what its body names. */
export function changeUsers(
  view: View,
  names: (row: NamesOf, body: PlannedAction['payload']) => boolean,
): ResourceUser[] {
  const { rows } = view.find('plannedActions', { where: { status: 'pending' } });
  return rows
    .filter(({ type, payload }) => {
      const kind = kindOfAction(type);
      return kind !== undefined && names(changeRowOf(kind), payload);
    })
    .map((action) => actionUser(view, action));
}

function actionUser(view: View, { id, livestreamId, type }: Readonly<PlannedAction>): ResourceUser {
  const name = view.get('livestreams', livestreamId)?.name ?? '';
  return { resource: 'Planned action', id, name: `${type} of ${name}` };
}

/** Each user once, in the order given. */
export function distinctUsers(users: readonly ResourceUser[]): ResourceUser[] {
  return [...new Map(users.map((user) => [`${user.resource} ${user.id}`, user])).values()];
}
