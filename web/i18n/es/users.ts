import type { usersEn } from '../en/users.ts';

export const usersEs: typeof usersEn = {
  title: 'Usuarios',
};
