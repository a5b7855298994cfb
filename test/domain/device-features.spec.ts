/** Servers and agents of different versions: what a Device says of itself decides what it is given. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { deviceHello } from '../../domain/reported/answers.ts';
import { NotUnderstood, understood } from '../../domain/reported/fields.ts';
import { isAble, neededFeatures, ofAgent } from '../../domain/rules/devices/needed-features.ts';
import { DEVICE_FEATURES, DEVICE_PROTOCOL, speaksWith } from '../../domain/shapes/devices/device-features.ts';
import type { Channel } from '../../domain/shapes/sources/channel.ts';
import { FAKE_CAPABILITIES, FakeDevice } from '../helpers/fake-device.ts';

it('an agent whose protocol this server does not speak is not understood, by name, and one that says none speaks the first', async () => {
  const hello = await new FakeDevice().hello();
  const { min, max } = DEVICE_PROTOCOL;
  const parse = (protocol?: object): unknown => understood('hello', deviceHello, { ...hello, protocol }).protocol;
  assert.equal(parse(), undefined);
  for (const spoken of [
    { min, max },
    { min, max: max + 2 },
  ])
    assert.deepEqual(parse(spoken), spoken);
  for (const spoken of [
    { min: max + 1, max: max + 3 },
    { min: 0, max: min - 1 },
  ])
    assert.throws(
      () => parse(spoken),
      (error) => error instanceof NotUnderstood && /hello\.protocol: must reach/u.test(error.message),
    );
  assert.deepEqual(
    [speaksWith({ min: 2, max: 4 }, { min: 4, max: 6 }), speaksWith({ min: 2, max: 3 }, { min: 4, max: 6 })],
    [true, false],
  );
});

it('what a newer agent says in fields that nobody here knows is dropped, and the rest is understood', async () => {
  const device = new FakeDevice();
  const hello = await device.hello();
  const later = (value: unknown): unknown =>
    typeof value !== 'object' || value === null
      ? value
      : Array.isArray(value)
        ? value.map(later)
        : {
            ...Object.fromEntries(Object.entries(value).map(([name, field]) => [name, later(field)])),
            of_tomorrow: {},
          };
  assert.deepEqual(understood('hello', deviceHello, later(hello)), understood('hello', deviceHello, hello));
});

it('a newer agent says features that nobody here knows, and they are kept and asked for by nobody', async () => {
  const device = new FakeDevice({
    capabilities: { ...FAKE_CAPABILITIES, features: [...DEVICE_FEATURES, 'of_tomorrow'] },
  });
  const { capabilities } = understood('hello', deviceHello, await device.hello());
  assert.ok(DEVICE_FEATURES.every((feature) => isAble(capabilities, ofAgent(feature))));
  const secure = { type: 'RTMP-Push', settings: { app: 'live', tls: true } } as unknown as Channel;
  const plain = { type: 'RTMP-Push', settings: { app: 'live' } } as unknown as Channel;
  const needed = (channel: Channel): string[] =>
    neededFeatures({ channels: [channel], encodings: [], publishings: [] });
  assert.deepEqual(needed(secure), ['Channel RTMP-Push', 'agent rtmps']);
  assert.deepEqual(needed(plain), ['Channel RTMP-Push']);
  const { features: _none, ...earlier } = FAKE_CAPABILITIES;
  assert.equal(isAble(earlier, ofAgent('rtmps')), false);
});
