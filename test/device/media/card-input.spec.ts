/** Sources of cards and of NDI as ffmpeg would get them; no machine of ours has one, so nothing here has met hardware. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aesInput, ndiInput, parseSources, sdiInput } from '../../../device/media/arguments/card-input.ts';

const CARDS = ['DeckLink Duo (1)', 'DeckLink Duo (2)'];

test('the list of card inputs is read with and without the kinds of media that later ffmpegs add', () => {
  const text = `Auto-detected sources for decklink:
  81:76669a80:00000000 [DeckLink Duo (1)] (none)
* 81:76669a80:00000001 [DeckLink Duo (2)]
`;
  assert.deepEqual(parseSources(text), CARDS);
  assert.deepEqual(parseSources('Auto-detected sources for decklink:\nCannot list sources.\n'), []);
});

test('SDI takes picture and embedded sound of its input, AES/EBU the digital sound', () => {
  assert.equal(
    sdiInput({ deviceId: 1, input: 1 }, CARDS).args.join(' '),
    '-f decklink -video_input sdi -audio_input embedded -channels 2 -i DeckLink Duo (2)',
  );
  assert.deepEqual(aesInput({ deviceId: 1, input: 0 }, CARDS).args, [
    ...['-f', 'decklink', '-audio_input', 'aes_ebu', '-channels', '2', '-i', 'DeckLink Duo (1)'],
  ]);
  assert.throws(() => sdiInput({ input: 2 }, CARDS), /Input 2 is not on this Device: it has 2, counted from 0/u);
  assert.throws(() => aesInput({ input: 0 }, []), /has no DeckLink input/u);
});

test('an NDI input takes a typed name as it is, one found when it is announced, and the first without a name', () => {
  const announced = ['STUDIO (Camera 1)', 'STUDIO (Camera 2)'];
  const opened = (...given: Parameters<typeof ndiInput>): string => ndiInput(...given).args.at(-1)!;
  assert.equal(opened({ discovery: 'auto' }, announced), 'STUDIO (Camera 1)');
  assert.equal(opened({ discovery: 'auto', source_name: 'STUDIO (Camera 2)' }, announced), 'STUDIO (Camera 2)');
  assert.equal(opened({ discovery: 'typed', source_name: 'FAR (Hidden)' }, []), 'FAR (Hidden)');
  assert.throws(() => ndiInput({ source_name: 'FAR (Hidden)' }, announced), /"FAR \(Hidden\)" is not announced/u);
  assert.throws(() => ndiInput({}, []), /No NDI source is announced/u);
});
