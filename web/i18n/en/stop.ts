/** Words of what a stop ends. */
export const stopEn = {
  stopped: (name: string) => `${name} is off already.`,
  stoppedBy: (name: string, user: string, via: string) => `${name} is off already: stopped by ${user} (${via}).`,
  onAir: (count: number) =>
    count === 0
      ? 'It goes off the air.'
      : `It goes off the air: ${count} ${count === 1 ? 'Destination ends' : 'Destinations end'}.`,
  recording: 'The Recording closes.',
  starting: 'The start is taken back.',
  failed: 'It has failed and is off air already; nobody starts it again by itself then.',
  scheduled: 'A Schedule has started it: only this occurrence ends; one for once is cancelled.',
  once: (schedule: string) => `The Schedule ${schedule} was for this once and is cancelled.`,
  occurrence: (schedule: string) => `Of the Schedule ${schedule} this occurrence alone ends.`,
  nextStart: 'Its next start:',
};
