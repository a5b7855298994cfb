/** Acts whose code comes with the dialogs: the wall is there sooner. */

export function acknowledgeStream(id: number): void {
  void import('./dialogs/dialogs.tsx').then((acts) => acts.acknowledgeStream(id));
}

export function switchBack(id: number): void {
  void import('./dialogs/dialogs.tsx').then((acts) => acts.switchBack(id));
}
