import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { prepareNumbered } from './numbered-parameters.ts'

let database: DatabaseSync
beforeAll(() => {
  database = new DatabaseSync(':memory:')
  database.exec('CREATE TABLE notes (title TEXT, again TEXT, size INTEGER)')
})
afterAll(() => database.close())

describe.each([
  ['binds numbered parameters in order', true],
  ['takes them for named ones', false],
])('a Node that %s', (_, inOrder) => {
  const prepare = (sql: string) => prepareNumbered(database, sql, () => inOrder)

  it('takes the values in order, however often and in which order a parameter is used', () => {
    database.exec('DELETE FROM notes')
    prepare('INSERT INTO notes VALUES (?2, ?2, ?1)').run(3, 'storm')
    const all = prepare('SELECT * FROM notes WHERE again = ?1 AND size < ?2')
    const row = { title: 'storm', again: 'storm', size: 3 }
    expect(all.get('storm', 4)).toEqual(row)
    expect(all.all('storm', 4)).toEqual([row])
    expect([...all.iterate('storm', 4)]).toEqual([row])
    expect(all.get('storm', 3)).toBeUndefined()
  })

  it('leaves parameters without a number as they are', () => {
    expect(prepare('SELECT ? AS a, ? AS b').get(1, 2)).toEqual({ a: 1, b: 2 })
  })
})
