/** A cut that is being prepared: marks, name, way and quality. */
import { signal } from '@preact/signals';
import { markedIn, markedOut, type Marks, type Span } from './marks.ts';

export type CutMode = 'accurate' | 'keyframe';

export class Editor {
  readonly marks = signal<Marks>({ in: '', out: '' });
  /** The pieces that were added, in the order of the clip; those between the marks come behind them. */
  readonly pieces = signal<readonly Span[]>([]);
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

  add(piece: Span): void {
    this.pieces.value = [...this.pieces.value, piece];
    this.set({ in: '', out: '' });
  }

  remove(at: number): void {
    this.pieces.value = this.pieces.value.filter((_, i) => i !== at);
  }

  /** Exchanges a piece with the one before it. */
  raise(at: number): void {
    const pieces = [...this.pieces.value];
    pieces.splice(at - 1, 2, pieces[at]!, pieces[at - 1]!);
    this.pieces.value = pieces;
  }

  /** The next clip begins with nothing but the way of cutting. */
  clear(): void {
    this.set({ in: '', out: '' });
    this.pieces.value = [];
    this.name.value = '';
  }
}
