/** A cut that is being prepared: marks, name, way and quality. */
import { signal } from '@preact/signals';
import { markedIn, markedOut, type Marks } from './marks.ts';

export type CutMode = 'accurate' | 'keyframe';

export class Editor {
  readonly marks = signal<Marks>({ in: '', out: '' });
  readonly name = signal('');
  readonly mode = signal<CutMode>('accurate');
  /** undefined: the largest picture. */
  readonly trackId = signal<number | undefined>(undefined);
  /** Flaws are told once somebody has tried to cut. */
  readonly isTried = signal(false);

  markIn(seconds: number): void {
    this.set(markedIn(this.marks.value, seconds));
  }

  markOut(seconds: number): void {
    this.set(markedOut(this.marks.value, seconds));
  }

  set(marks: Marks): void {
    this.marks.value = marks;
    this.isTried.value = false;
  }

  /** The next piece begins with nothing but the way of cutting. */
  clear(): void {
    this.set({ in: '', out: '' });
    this.name.value = '';
  }
}
