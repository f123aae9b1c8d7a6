import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readQuery } from './read-query.ts'
import { HOSTED_API } from './routes/index.ts'

test('lists, ranges and empty values are read as the client writes them', () => {
  const search = new URLSearchParams(
    'beta=true&page=&limit=5&types%5B%5D=a&types%5B%5D=b&created_at%5Bgte%5D=2026-01-01T00:00:00Z',
  )
  expect(readQuery(search)).toEqual({
    beta: 'true',
    limit: '5',
    types: ['a', 'b'],
    created_at: { gte: '2026-01-01T00:00:00Z' },
  })
})

test('the query of a list is validated; unknown keys are ignored', () => {
  const parse = (text: string) =>
    HOSTED_API.listSessions.query.safeParse(readQuery(new URLSearchParams(text)))
  expect(parse('statuses=idle&beta=true&x[y]=1').data).toEqual({
    limit: 20,
    order: 'desc',
    include_archived: false,
    statuses: ['idle'],
  })
  expect(parse('limit=1000').success).toBe(true)
  for (const wrong of ['limit=0', 'limit=x', 'statuses[]=busy', 'created_at[gt]=today']) {
    expect(parse(wrong).success, wrong).toBe(false)
  }
})

test('any query is read without a failure and without reaching a prototype', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.string(), fc.string())), (pairs) => {
      const read = readQuery(new URLSearchParams([...pairs, ['__proto__[x]', '1']]))
      expect(Object.getPrototypeOf(read)).toBe(Object.prototype)
      expect({}).not.toHaveProperty('x')
    }),
  )
})
