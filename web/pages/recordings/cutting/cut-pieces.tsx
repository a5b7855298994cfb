/** The pieces that a clip is joined of: their order can be changed, and each can be taken out again. */
import { Button } from '../../../ui/button.tsx';
import { words } from '../words.ts';
import type { Editor } from './editor.ts';
import { timeCode } from './time-code.ts';

export function CutPieces({ editor }: { editor: Editor }) {
  const w = words.value;
  const pieces = editor.pieces.value;
  if (pieces.length === 0) return null;
  return (
    <ol class="cut-pieces" aria-label={w.pieces}>
      {pieces.map((piece, i) => {
        const name = `${timeCode(piece.in)} – ${timeCode(piece.out)}`;
        return (
          <li key={`${i} ${name}`}>
            <span>{name}</span>
            {i > 0 && (
              <Button kind="quiet" label={w.raisePiece(name)} onPress={() => editor.raise(i)}>
                {w.earlier}
              </Button>
            )}
            <Button kind="quiet" label={w.removePiece(name)} onPress={() => editor.remove(i)}>
              {w.takeOut}
            </Button>
          </li>
        );
      })}
    </ol>
  );
}
