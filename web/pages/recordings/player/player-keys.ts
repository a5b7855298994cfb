/** The keys of the player, as editors know them. */
import type { Keys } from '../../../ui/registry/keys.ts';
import type { Editor } from '../cutting/editor.ts';
import { parseTimeCode } from '../cutting/time-code.ts';
import { words } from '../words.ts';
import type { PlayerState } from './playback.ts';

interface PlayerActions {
  playback: PlayerState;
  editor: Editor;
  mark: (edge: 'in' | 'out') => void;
  cut: () => void;
  leave: () => void;
  goTo: () => void;
}

export function playerKeys({ playback, editor, mark, cut, leave, goTo }: PlayerActions): Keys {
  const w = words.value;
  const t = w.transport;
  const seekTo = (text: string): void => {
    const seconds = parseTimeCode(text);
    if (seconds !== undefined) playback.seek(seconds);
  };
  return {
    Space: { does: `${t.play}, ${t.pause}`, act: () => playback.toggle() },
    J: { does: t.backwards, act: () => playback.shuttle('J') },
    K: { does: t.stop, act: () => playback.toggle() },
    L: { does: t.faster, act: () => playback.shuttle('L') },
    ',': { does: t.backFrame, act: () => playback.step(-1) },
    '.': { does: t.nextFrame, act: () => playback.step(1) },
    ArrowLeft: { does: t.backSecond, act: () => playback.skip(-1) },
    ArrowRight: { does: t.nextSecond, act: () => playback.skip(1) },
    'Shift ArrowLeft': { does: t.backTen, act: () => playback.skip(-10) },
    'Shift ArrowRight': { does: t.nextTen, act: () => playback.skip(10) },
    Home: { does: t.start, act: () => playback.seek(0) },
    End: { does: t.end, act: () => playback.seek(playback.length.value) },
    I: { does: w.markIn, act: () => mark('in') },
    O: { does: w.markOut, act: () => mark('out') },
    'Shift I': { does: w.toIn, act: () => seekTo(editor.marks.value.in) },
    'Shift O': { does: w.toOut, act: () => seekTo(editor.marks.value.out) },
    G: { does: w.goTo, act: goTo },
    Enter: { does: w.cut, act: cut },
    Escape: { does: w.back, act: leave },
  };
}
