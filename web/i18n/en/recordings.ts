export const recordingsEn = {
  title: 'Recordings',
};
