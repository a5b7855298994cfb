/** What a button, a key or a command of the page does to a stream. */
import type { IconName } from '../../../ui/show/icon.tsx';
import type { Control } from './orders.ts';

export interface Act {
  id: string;
  /** What the button shows. */
  text: string;
  /** Its name, with that of the stream. */
  label: string;
  key: string;
  icon: IconName;
  /** By what is in force and nothing else. */
  pressed?: boolean;
  control?: Control;
  isDanger?: boolean;
  /** Left out: it can be done. */
  why?: string | undefined;
  /** It has a key and no button. */
  isKeyOnly?: boolean;
  press: () => void;
}
