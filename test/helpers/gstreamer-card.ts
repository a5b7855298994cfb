/** A gst-launch-1.0 that stands in for a DeckLink card: test sources take the place of the elements of the card, and all else runs as it is. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const hasElement = (name: string): boolean => spawnSync('gst-inspect-1.0', [name]).status === 0;

/** The reason to skip what needs it. */
export const noGstreamer = ['matroskamux', 'interleave', 'clockselect'].every(hasElement)
  ? false
  : 'needs GStreamer: apt-get install gstreamer1.0-tools gstreamer1.0-plugins-base gstreamer1.0-plugins-good gstreamer1.0-plugins-bad';

/**
 * Each channel has a level of its own, in thirty-seconds; a card of eight channels refuses sixteen. What is played out goes to a file of small
 * pictures, at the time at which the card would show it.
 */
const SCRIPT = ({ has, buffers, taken }: Required<SimulatedCard>): string => `#!/usr/bin/python3
import os, sys
given, out, tail = sys.argv[1:], [], []
while given:
    word = given.pop(0)
    if not word.startswith('decklink'):
        out.append(word)
        continue
    own = {}
    while given and given[0] != '!' and '=' in given[0]:
        key, _, value = given.pop(0).partition('=')
        own[key] = value
    if word.endswith('sink'):
        small = ['videoscale', 'method=0', '!', 'video/x-raw,width=320,height=180,pixel-aspect-ratio=1/1', '!', 'videoconvert', '!', 'jpegenc', '!']
        out += ['clocksync', 'ts-offset=' + own['ts-offset'], '!'] + (small if word == 'decklinkvideosink' else []) + ['queue', '!', 'taken.video_0' if word == 'decklinkvideosink' else 'taken.audio_0']
        if word == 'decklinkvideosink':
            tail += ['matroskamux', 'name=taken', 'streamable=true', '!', 'filesink', 'location=${taken}', 'buffer-mode=unbuffered']
        continue
    if word == 'decklinkvideosrc':
        out += ['videotestsrc', 'is-live=true', 'num-buffers=${buffers}', '!', 'video/x-raw,format=UYVY,width=320,height=180,framerate=25/1']
        continue
    channels = int(own['channels'])
    if channels > ${has}:
        sys.exit('ERROR: from element /GstPipeline:pipeline0/GstDecklinkAudioSrc: the card has not so many channels')
    out += ['interleave', 'name=card']
    for n in range(channels):
        tail += ['audiotestsrc', 'is-live=true', 'wave=square', 'num-buffers=' + str(${buffers} * 2), 'samplesperbuffer=960', 'volume=' + str((n + 1) / 32), '!', 'audio/x-raw,format=F32LE,channels=1,rate=48000', '!', 'queue', '!', 'card.sink_' + str(n)]
if out[-1:] == [')']:
    out.pop()
    tail.append(')')
os.execv('/usr/bin/gst-launch-1.0', ['gst-launch-1.0'] + out + tail)
`;

export interface SimulatedCard {
  /** Channels of sound that its inputs have. */
  has?: number;
  /** Pictures until its input ends. */
  buffers?: number;
  /** The file of what is played out. */
  taken?: string;
}

/** Answers a PATH in which it comes first. */
export function standInCard(dir: string, { has = 16, buffers = 50, taken = '/dev/null' }: SimulatedCard = {}): string {
  const bin = join(dir, 'card');
  mkdirSync(bin);
  writeFileSync(join(bin, 'gst-launch-1.0'), SCRIPT({ has, buffers, taken }), { mode: 0o755 });
  return `${bin}${delimiter}${process.env['PATH']}`;
}
