/** A clock whose timers fire only when told, as on a machine that was busy or asleep. */
export class LateClock {
  time = 0;
  task: (() => void) | undefined;
  now = (): number => this.time;
  after = (_delay: number, task: () => void): (() => void) => {
    this.task = task;
    return () => (this.task = undefined);
  };
  wakeAt(time: number): void {
    this.time = time;
    this.task?.();
  }
}
