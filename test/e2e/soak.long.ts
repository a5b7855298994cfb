/** An hour of a broadcast that is changed and harmed at random; soak-minutes.long.ts has three minutes of it. */
import { it } from 'node:test';
import { soaked } from './soaked.ts';

const MINUTES = 60;

it(`${MINUTES} minutes of changes and faults leave the broadcast on air, video and audio in sync, and memory bounded`, (t) =>
  soaked(t, MINUTES));
