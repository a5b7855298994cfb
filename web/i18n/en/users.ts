export const usersEn = {
  title: 'Users',
};
