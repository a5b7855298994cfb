/** Planned actions: one command on a Live stream at an instant. */
export const ACTION_TYPES = [
  'start', 'stop', 'logo', 'blackout', 'sourceSwitch', 'publishings', 'metadata', 'adValues', 'text',
] as const; // prettier-ignore
export type ActionType = (typeof ACTION_TYPES)[number];

export const ACTION_STATUSES = ['pending', 'disabled', 'executed', 'failed', 'cancelled'] as const;
export type ActionStatus = (typeof ACTION_STATUSES)[number];

export interface PlannedAction {
  id: number;
  created_at: string;
  updated_at: string;
  livestreamId: number;
  type: ActionType;
  /** Body of the operation that it stands for. */
  payload: Record<string, unknown>;
  execute_at: string;
  status: ActionStatus;
  /** Why it failed or was cancelled. */
  error: string | null;
  created_by: string;
}
