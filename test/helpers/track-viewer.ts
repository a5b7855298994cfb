import type { TestScope } from './clean-up.ts';
import { players } from './players.ts';

const SCRIPT = `
const video = document.querySelector('video');
const errors = [];
performance.setResourceTimingBufferSize(10000);
let hls, player;
window.watch = async (name, url) => {
  if (name === 'hls.js') {
    // Chromium shows each track of captions that comes when one is shown already: so none is made of those in the pictures.
    hls = new Hls({ enableCEA708Captions: false });
    hls.on(Hls.Events.ERROR, (_, data) => data.fatal && errors.push(data.type + ' ' + data.details));
    hls.loadSource(url);
    hls.attachMedia(video);
    await new Promise((parsed) => hls.once(Hls.Events.MANIFEST_PARSED, parsed));
  } else {
    shaka.polyfill.installAll();
    player = new shaka.Player();
    player.addEventListener('error', ({ detail }) => errors.push('shaka ' + detail.code));
    await player.attach(video);
    await player.load(url).catch((error) => errors.push('shaka ' + error.code + ' ' + error.data));
  }
  video.play().catch((error) => errors.push(String(error)));
};
window.look = () => ({
  time: video.currentTime,
  readyState: video.readyState,
  errors,
  requests: performance.getEntriesByType('resource').map(({ name }) => name),
});

window.sounds = () =>
  hls !== undefined
    ? hls.audioTracks.map(({ id, lang, name, channels, attrs }) => ({
        language: lang, name, channels: Number(channels ?? attrs?.CHANNELS), isActive: id === hls.audioTrack,
      }))
    : player.getAudioTracks().map(({ language, label, channelsCount, active }) => ({
        language, name: label, channels: channelsCount, isActive: active,
      }));
window.choose = (language) => {
  if (hls !== undefined) hls.audioTrack = hls.audioTracks.find(({ lang }) => lang === language).id;
  else player.selectAudioTrack(player.getAudioTracks().find((track) => track.language === language));
};

let analysers;
const listen = () => {
  const context = new AudioContext({ sampleRate: 48000 });
  context.resume();
  const from = context.createMediaElementSource(video);
  const splitter = context.createChannelSplitter(6);
  from.connect(splitter);
  analysers = Array.from({ length: 6 }, (_, channel) => {
    const analyser = context.createAnalyser();
    analyser.fftSize = 32768;
    splitter.connect(analyser, channel);
    return analyser;
  });
};
/** Decibels of full scale of each of these pitches in each channel, over the last 0.68 s. */
window.heard = (pitches) => {
  if (analysers === undefined) listen();
  return analysers.map((analyser) => {
    const samples = new Float32Array(analyser.fftSize);
    analyser.getFloatTimeDomainData(samples);
    return pitches.map((pitch) => {
      let [real, imaginary, weights] = [0, 0, 0];
      samples.forEach((sample, n) => {
        const angle = (2 * Math.PI * n) / samples.length;
        const weight = 0.5 - 0.5 * Math.cos(angle);
        const phase = (2 * Math.PI * pitch * n) / 48000;
        real += weight * sample * Math.cos(phase);
        imaginary += weight * sample * Math.sin(phase);
        weights += weight;
      });
      const amplitude = (2 * Math.hypot(real, imaginary)) / weights;
      return amplitude < 1e-5 ? -100 : 20 * Math.log10(amplitude);
    });
  });
};

/** When the picture becomes white, on the time of the video, and where it was not looked at. */
const flashes = [];
const gaps = [];
const canvas = new OffscreenCanvas(16, 9).getContext('2d', { willReadFrequently: true });
let [wasWhite, last] = [true, 0];
const see = (_, { mediaTime }) => {
  canvas.drawImage(video, 0, 0, 16, 9);
  const isWhite = canvas.getImageData(8, 4, 1, 1).data[1] > 200;
  if (mediaTime < last || mediaTime > last + 0.15) gaps.push([last, mediaTime]);
  else if (isWhite && !wasWhite) flashes.push(mediaTime);
  wasWhite = isWhite;
  last = mediaTime;
  video.requestVideoFrameCallback(see);
};
video.requestVideoFrameCallback(see);
/** Cues that were shown, with their times: players leave out those that are over. */
const shown = new Map();
setInterval(() => {
  for (const track of video.textTracks) {
    if (track.mode !== 'showing') continue;
    for (const { text, startTime, endTime } of track.activeCues ?? [])
      shown.set(track.label + text + startTime.toFixed(2), { label: track.label, text, from: startTime, to: endTime });
  }
}, 40);
window.captions = () => ({ flashes, gaps, last, cues: [...shown.values()] });
window.texts = () =>
  hls !== undefined
    ? hls.subtitleTracks.map(({ name, lang }) => ({ name, language: lang, isInPicture: false }))
    : player.getTextTracks().map(({ label, originalTextId, language, mimeType }) => ({
        name: label ?? originalTextId, language, isInPicture: mimeType.includes('cea'),
      }));
/** The first track of text that is not in the pictures, or none. */
window.show = async (on) => {
  shown.clear();
  if (hls !== undefined) {
    hls.subtitleDisplay = on;
    hls.subtitleTrack = on ? 0 : -1;
  } else await player.selectTextTrack(on ? player.getTextTracks().find(({ mimeType }) => !mimeType.includes('cea')) : null);
};
`;

export type PlayerName = 'hls.js' | 'shaka';

export interface ListedSound {
  language: string;
  name: string | null;
  channels: number;
  isActive: boolean;
}

export interface ShownCue {
  label: string;
  text: string;
  from: number;
  to: number;
}

/** Seconds on the time of the video. */
export interface ShownCaptions {
  cues: ShownCue[];
  /** When the picture has become white. */
  flashes: number[];
  /** Pictures between which none was looked at. */
  gaps: [from: number, to: number][];
  /** The newest picture. */
  last: number;
}

export interface TrackViewer {
  look(): Promise<{ time: number; readyState: number; errors: string[]; requests: string[] }>;
  sounds(): Promise<ListedSound[]>;
  choose(language: string): Promise<void>;
  /** dBFS of each pitch in each of six channels. */
  heard(pitches: readonly number[]): Promise<number[][]>;
  texts(): Promise<{ name: string; language: string; isInPicture: boolean }[]>;
  /** Turns the text on or off, and forgets what was shown. */
  show(on: boolean): Promise<void>;
  captions(): Promise<ShownCaptions>;
  close(): Promise<void>;
}

/** Viewers one after the other: pages that are not in front get little time. */
export async function trackViewers(t: TestScope): Promise<(player: PlayerName, url: string) => Promise<TrackViewer>> {
  // What a muted element plays is silent to the page, too.
  const open = await players(t, SCRIPT, '<video width="320" height="180"></video>');
  return async (player, url) => {
    const page = await open();
    const call = <T>(name: string, ...values: unknown[]): Promise<T> =>
      page.evaluate(`window.${name}(${values.map((value) => JSON.stringify(value)).join()})`);
    await call('watch', player, url);
    return {
      look: () => call('look'),
      sounds: () => call('sounds'),
      choose: (language) => call('choose', language),
      heard: (pitches) => call('heard', pitches),
      texts: () => call('texts'),
      show: (on) => call('show', on),
      captions: () => call('captions'),
      close: () => page.close(),
    };
  };
}
