/** Two short tones for a fault, where somebody has chosen them. */
import { alarmTone } from '../../prefs.ts';

/** They are heard through speech, and differ from the tones that broadcasts are tested with. */
const TONES_HZ = [880, 660];
const TONE_SECONDS = 0.18;
const LOUDNESS = 0.2;

let context: AudioContext | undefined;

/** Browsers are silent until somebody has touched the page: the first press or key opens the sound. */
function open(): void {
  if (alarmTone.peek() === 'off') return;
  context ??= new AudioContext();
  if (context.state === 'suspended') context.resume().catch(() => undefined);
}
for (const event of ['pointerdown', 'keydown']) document.addEventListener(event, open, { capture: true });

export function soundAlarm(): void {
  if (alarmTone.peek() === 'off') return;
  open();
  // A tone that waits for the first press would tell of a fault that may be over.
  if (context?.state !== 'running') return;
  const gain = context.createGain();
  gain.gain.value = LOUDNESS;
  gain.connect(context.destination);
  TONES_HZ.forEach((frequency, place) => {
    const tone = new OscillatorNode(context!, { frequency });
    const at = context!.currentTime + place * TONE_SECONDS;
    tone.connect(gain);
    tone.start(at);
    tone.stop(at + TONE_SECONDS);
  });
}

/** Whoever switches it on hears how it sounds. */
export function chooseAlarm(isOn: boolean): void {
  alarmTone.value = isOn ? 'on' : 'off';
  if (!isOn) return;
  open();
  context?.resume().then(soundAlarm, () => undefined);
}
