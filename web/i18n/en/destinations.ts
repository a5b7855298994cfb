export const destinationsEn = {
  title: 'Destinations',
};
