import type { auditEn } from '../en/audit.ts';

export const auditEs: typeof auditEn = {
  title: 'Auditoría',
};
