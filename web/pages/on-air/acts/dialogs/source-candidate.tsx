/** A Channel among those that a broadcast may be switched to, so that nobody puts the wrong one on the air. */
import { call, dataIn } from '../../../../api/call.ts';
import { can } from '../../../../api/can.ts';
import type { DataOf, RowOf } from '../../../../api/operation-types.ts';
import { moment } from '../../../../live/clock.ts';
import type { LivestreamStatus } from '../../../../live/status.ts';
import { FIXED_TYPES } from '../../../../gen/types.ts';
import { devices } from '../../../../live/streams.ts';
import { pictureText, soundText } from '../../../../resource/channel/format.ts';
import { ChannelPicture } from '../../../../resource/channel/channel-picture.tsx';
import { IngestState, SignalState, streamsFrom } from '../../../../resource/channel/signal.tsx';
import { Button } from '../../../../ui/button.tsx';
import { Time } from '../../../../ui/show/time.tsx';
import { words } from '../../words.ts';
import { sourceOf } from '../source-before.ts';
import { problemLine } from '../../../../i18n/problem-text.ts';
import { warningText } from '../../../../i18n/warning-text.ts';
import { ServerText } from '../../../../ui/show/server-text.tsx';

export type Channel = RowOf<'getAllChannels'>;

/** The outcome of a look at a source, which a person has asked for. */
export type Look =
  { state: 'busy' } | { state: 'seen'; probe: DataOf<'probeChannel'> } | { state: 'failed'; problem: Error };

/** Why the server would refuse it. */
export function obstacleOf(channel: Channel, { runtime, source, deviceId }: LivestreamStatus): string | undefined {
  const w = words.value.dialogs;
  if (channel.id === sourceOf({ runtime, source })) return w.present;
  if (FIXED_TYPES.includes(channel.type)) return w.notLive;
  if (!channel.enabled) return w.channelOff;
  const isElsewhere = channel.ingest !== null && channel.deviceId !== null && channel.deviceId !== deviceId;
  return isElsewhere ? w.receivedAt(devices.value.get(channel.deviceId!)?.name ?? '') : undefined;
}

export async function lookAt(channelId: number): Promise<Look> {
  try {
    const { body } = await call('probeChannel', { params: { channelId } });
    return { state: 'seen', probe: dataIn(body) as DataOf<'probeChannel'> };
  } catch (error) {
    return { state: 'failed', problem: error as Error };
  }
}

interface CandidateProps {
  channel: Channel;
  look: Look | undefined;
}

function hasPicture({ id, ingest }: Channel): boolean {
  return ingest?.state === 'receiving' || streamsFrom(id).length > 0;
}

/** `alt`: its name, where no other text beside it says it. */
export function CandidatePicture({ channel, look, alt }: CandidateProps & { alt?: string }) {
  const lookedAt = look?.state === 'seen' ? look.probe.probed_at : undefined;
  const size = alt === undefined ? 'small' : 'large';
  return (
    <ChannelPicture id={channel.id} alt={alt ?? ''} size={size} isLive={hasPicture(channel)} lookedAt={lookedAt}>
      <span class="soft" aria-hidden="true">
        {words.value.tile.noPicture}
      </span>
    </ChannelPicture>
  );
}

/** Its type, and what is known to come from it. */
export function CandidateDetails({ channel, look }: CandidateProps) {
  const w = words.value.dialogs;
  const { type, ingest } = channel;
  const [stream] = streamsFrom(channel.id);
  return (
    <>
      {type}
      {ingest !== null && (
        <>
          {' · '}
          <IngestState state={ingest.state} />
          {ingest.state === 'receiving' && formText(ingest.video, ingest.audio)}
        </>
      )}
      {stream !== undefined && (
        <>
          {' · '}
          {w.onAirIn(stream.status.name)} <SignalState state={stream.status.source?.state ?? 'idle'} />
        </>
      )}
      {ingest === null && stream === undefined && <Looked look={look} />}
    </>
  );
}

function Looked({ look }: { look: Look | undefined }) {
  const w = words.value.dialogs;
  if (look === undefined || look.state === 'busy') return <> · {w.notLookedAt}</>;
  if (look.state === 'failed') return <span class="fault"> ✕ {problemLine(look.problem)}</span>;
  const { probed_at, video, audio, warnings } = look.probe;
  return (
    <>
      {formText(video, audio)} · {w.lookedAt} <Time at={probed_at} show="near" now={moment.value} />
      {warnings[0] !== undefined && (
        <span class="warn">
          {' '}
          ▲ <ServerText text={warnings[0].message} own={warningText(warnings[0].code)} />
        </span>
      )}
    </>
  );
}

function formText(video: Parameters<typeof pictureText>[0] | null, audio: Parameters<typeof soundText>[0][]): string {
  return [...(video === null ? [] : [pictureText(video)]), ...audio.slice(0, 1).map(soundText)]
    .map((text) => ` · ${text}`)
    .join('');
}

/** A look opens a connection of its own, so it waits for a person. */
export function LookButton({ channel, look, onLook }: CandidateProps & { onLook: () => void }) {
  if (!can('probeChannel') || hasPicture(channel) || channel.ingest !== null) return null;
  const w = words.value.dialogs;
  return (
    <Button kind="quiet" label={w.lookAt(channel.name)} busy={look?.state === 'busy' && w.looking} onPress={onLook}>
      {w.look}
    </Button>
  );
}
