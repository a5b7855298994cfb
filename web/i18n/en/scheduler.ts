export const schedulerEn = {
  title: 'Scheduler',
};
