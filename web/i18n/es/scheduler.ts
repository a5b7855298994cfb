import type { schedulerEn } from '../en/scheduler.ts';

export const schedulerEs: typeof schedulerEn = {
  title: 'Programación',
};
