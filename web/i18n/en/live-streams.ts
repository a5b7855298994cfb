export const liveStreamsEn = {
  title: 'Live streams',
};
