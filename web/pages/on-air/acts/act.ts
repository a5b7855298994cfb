/** An act is done to a stream by a button, a key or a command of the page. */
import type { IconName } from '../../../ui/show/icon.tsx';
import type { Control } from './orders.ts';

export interface Act {
  id: string;
  /** The text of the button. */
  text: string;
  /** Its name, with that of the stream. */
  label: string;
  key: string;
  icon: IconName;
  /** It follows what is in force and nothing else. */
  pressed?: boolean;
  control?: Control;
  isDanger?: boolean;
  /** Left out: it can be done. */
  why?: string | undefined;
  /** It has a key and no button. */
  isKeyOnly?: boolean;
  press: () => void;
}
