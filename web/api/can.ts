/** Whether the person may call an operation; what they may not do is not shown. */
import { OPERATIONS, type OperationId } from '../../client/request.ts';
import { session } from './session.ts';

export function can(operation: OperationId): boolean {
  const { role, toolProfile } = session.value ?? {};
  if (role === undefined) return false;
  const { role: needed, effect } = OPERATIONS[operation];
  // 0 is for whoever is signed in.
  return (needed === 0 || role <= needed) && (toolProfile !== 'readonly' || effect === 'read');
}
