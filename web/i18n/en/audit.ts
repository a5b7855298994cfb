export const auditEn = {
  title: 'Audit',
};
