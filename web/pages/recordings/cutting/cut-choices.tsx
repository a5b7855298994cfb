/** How the cut is made, and of which quality where there are several. */
import { Field } from '../../../ui/field.tsx';
import { words } from '../words.ts';
import type { CutMode, Editor } from './editor.ts';

export interface Track {
  trackId: number;
  kind: 'video' | 'audio';
  codec: string;
  width: number | null;
  height: number | null;
}

export function CutChoices({ editor, tracks }: { editor: Editor; tracks: readonly Track[] }) {
  const w = words.value;
  const pictures = tracks.filter(({ kind }) => kind === 'video');
  return (
    <>
      <Field label={w.mode}>
        {(control) => (
          <select
            {...control}
            value={editor.mode.value}
            onChange={({ currentTarget }) => (editor.mode.value = currentTarget.value as CutMode)}
          >
            <option value="accurate">{w.modes.accurate}</option>
            <option value="keyframe">{w.modes.keyframe}</option>
          </select>
        )}
      </Field>
      {pictures.length > 1 && (
        <Field label={w.quality}>
          {(control) => (
            <select
              {...control}
              value={editor.trackId.value ?? ''}
              onChange={({ currentTarget }) => (editor.trackId.value = Number(currentTarget.value) || undefined)}
            >
              <option value="">{w.bestQuality}</option>
              {pictures.map(({ trackId, codec, width, height }) => (
                <option
                  key={trackId}
                  value={trackId}
                >{`${trackId} · ${width ?? '?'}×${height ?? '?'} ${codec}`}</option>
              ))}
            </select>
          )}
        </Field>
      )}
    </>
  );
}
