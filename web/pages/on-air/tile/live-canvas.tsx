/** The picture of a stream, drawn as it comes, and its age when it is late. */
import { useComputed, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { words as common } from '../../../i18n/words.ts';
import { moment } from '../../../live/clock.ts';
import type { LivePicture } from '../../../live/pictures/frames.ts';
import { periodMs, pictureAge } from '../../../live/pictures/picture-ages.ts';
import { showPictures } from '../../../live/pictures/pictures.ts';
import { durationText } from '../../../zone.ts';
import { words } from '../words.ts';

interface LiveCanvasProps {
  id: number;
  name: string;
  /** False for an earlier run and for none: there is nothing to show. */
  isOn: boolean;
  /** Runs on a cloud account have none. */
  isCloud: boolean;
  isSolo?: boolean;
  onLevels?: (picture: LivePicture) => void;
}

const SIZES = { wall: [320, 180], solo: [640, 360] } as const;
/** Ages are looked at once a second. */
const SLACK_MS = 1_000;

export function LiveCanvas({ id, name, isOn, isCloud, isSolo = false, onLevels }: LiveCanvasProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const hasPicture = useSignal(false);
  const [width, height] = SIZES[isSolo ? 'solo' : 'wall'];
  useEffect(() => {
    const element = canvas.current;
    if (element === null || !isOn) return undefined;
    hasPicture.value = false;
    element.getContext('2d')?.clearRect(0, 0, element.width, element.height);
    const onFirst = (): void => {
      hasPicture.value = true;
    };
    return showPictures(element, { id, isSolo, onFirst, ...(onLevels !== undefined && { onLevels }) });
  }, [id, isOn]);
  const age = useComputed(() => {
    const ms = pictureAge(id, moment.value) ?? 0;
    return ms > Math.max(periodMs.value, SLACK_MS) ? Math.floor(ms / 1000) : 0;
  });
  const w = words.value.tile;
  const isShown = isOn && hasPicture.value;
  return (
    <div class="picture" data-empty={isShown ? undefined : ''}>
      <canvas ref={canvas} role="img" aria-label={common.value.picture(name)} width={width} height={height} />
      {!isShown && <p class="picture-none">{isCloud ? w.noCloudPicture : w.noPicture}</p>}
      {isShown && age.value > 0 && <span class="picture-age">{w.pictureAge(durationText(age.value))}</span>}
    </div>
  );
}
