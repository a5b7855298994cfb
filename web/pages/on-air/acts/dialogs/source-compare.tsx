/** The programme, and beside it the Channel that is armed to take its place. */
import { words as common } from '../../../../i18n/words.ts';
import type { LivestreamStatus } from '../../../../live/status.ts';
import { channelNames } from '../../tile/channel-names.ts';
import { LiveCanvas } from '../../tile/live-canvas.tsx';
import { words } from '../../words.ts';
import { sourceOf } from '../source-before.ts';
import { CandidateDetails, CandidatePicture, type Channel, type Look } from './source-candidate.tsx';

interface CompareProps {
  status: LivestreamStatus;
  hasProgramme: boolean;
  /** Undefined while nothing is chosen. */
  channel: Channel | undefined;
  look: Look | undefined;
}

export function Compare({ status, hasProgramme, channel, look }: CompareProps) {
  const { livestreamId: id, name, status: state, deviceId } = status;
  const w = words.value.dialogs;
  const isOn = state === 2;
  return (
    <div class="compare">
      {hasProgramme && (
        <figure>
          <LiveCanvas id={id} name={name} isOn={isOn} isCloud={isOn && deviceId === null} />
          <figcaption>
            <strong class="ok">● {w.programme}</strong> {channelNames.value.get(sourceOf(status) ?? 0)}
          </figcaption>
        </figure>
      )}
      <figure data-armed={channel === undefined ? undefined : ''}>
        {channel === undefined ? (
          <p class="soft compare-none">{w.armOne}</p>
        ) : (
          <CandidatePicture channel={channel} look={look} alt={common.value.picture(channel.name)} />
        )}
        <figcaption>
          <span role="status">
            {channel !== undefined && (
              <>
                <strong class="warn">◌ {w.armed}</strong> {channel.name}
              </>
            )}
          </span>
          {channel !== undefined && (
            <small>
              {' '}
              <CandidateDetails channel={channel} look={look} />
            </small>
          )}
        </figcaption>
      </figure>
    </div>
  );
}
