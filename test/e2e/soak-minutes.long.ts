/** Three minutes of a broadcast that is changed and harmed at random, with one seed; soak.long.ts has an hour. */
import { it } from 'node:test';
import { soaked } from './soaked.ts';

const MINUTES = 3;
const SEED = 7495;

it(`${MINUTES} minutes of changes and faults leave the broadcast on air, video and audio in sync`, (t) =>
  soaked(t, MINUTES, SEED));
