import { addressIssue } from '../../../domain/delivery-address.ts';

/** Throws TypeError for an address that no attempt could deliver to. It is refused where it is stored, and may be older than that rule. */
export function assertDeliverable(address: string): void {
  const issue = addressIssue(address);
  if (issue !== undefined) throw new TypeError(`The address of this Destination ${issue}.`);
}
