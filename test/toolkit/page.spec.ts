import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AppError } from '../../domain/base/errors.ts';
import { pageBody, pageQuery, projectRows } from '../../toolkit/output/page.ts';

const page = { page: 1, pageSize: 100 };

describe('pages', () => {
  it('pages become offset and limit, with sort and search as given', () => {
    assert.deepEqual(pageQuery({ page: 3, pageSize: 20 }, ['name']), { where: {}, offset: 40, limit: 20 });
    assert.deepEqual(pageQuery({ ...page, sort: '-name', search: 'x' }, ['name'], { type: 'SRT' }), {
      where: { type: 'SRT' },
      offset: 0,
      limit: 100,
      search: 'x',
      sort: { field: 'name', descending: true },
    });
    assert.equal(pageQuery({ ...page, search: '' }, []).search, undefined);
  });

  it('pages are sorted by declared fields and id only, and a refusal says which', () => {
    assert.deepEqual(pageQuery({ ...page, sort: 'id' }, []).sort, { field: 'id', descending: false });
    assert.throws(
      () => pageQuery({ ...page, sort: 'token_hash' }, ['name']),
      (error: AppError) => error.code === 'invalid_input' && /id, name/u.test(error.message),
    );
  });

  it('pages are counted; an empty list has none', () => {
    assert.equal(pageBody([], 0, page).pagination.totalPages, 0);
    assert.equal(pageBody([], 101, page).pagination.totalPages, 2);
    assert.equal(pageBody([], 100, page).pagination.totalPages, 1);
  });
});

describe('projection', () => {
  const rows = [{ id: 1, name: 'a', type: 't' }];
  const known = ['id', 'name', 'type'];

  it('a projection keeps the fields named, and id', () => {
    assert.deepEqual(projectRows(rows, 'type, name', known), [{ id: 1, name: 'a', type: 't' }]);
    assert.deepEqual(projectRows(rows, 'name', known), [{ id: 1, name: 'a' }]);
    assert.deepEqual(projectRows(rows, '*', known), rows);
    const status = [{ deviceId: 7, name: 'a', load: 0 }];
    assert.deepEqual(projectRows(status, 'load', ['deviceId', 'name', 'load']), [{ deviceId: 7, load: 0 }]);
  });

  it('a projection refuses a field that no answer has', () => {
    assert.throws(
      () => projectRows(rows, 'name,password_hash', known),
      (error: AppError) => error.code === 'invalid_input' && /password_hash/u.test(error.message),
    );
  });
});
