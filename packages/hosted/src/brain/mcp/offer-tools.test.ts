import fc from 'fast-check'
import { expect, test } from 'vitest'
import { offerTools } from './offer-tools.ts'

const TOOLSET = {
  type: 'mcp_toolset' as const,
  default_config: { enabled: true, permission_policy: { type: 'always_ask' as const } },
  configs: [],
}
const nameOf = (mcp_server_name: string, name: string): string | undefined =>
  offerTools({ ...TOOLSET, mcp_server_name }, [{ name, description: '', inputSchema: {} }])[0]?.name

test('every tool has a stable name that models accept', () => {
  expect(nameOf('notes', 'add_note')).toBe('mcp__notes__add_note')
  const pair = fc.tuple(fc.string({ minLength: 1 }), fc.string({ minLength: 1, maxLength: 200 }))
  fc.assert(
    fc.property(fc.uniqueArray(pair, { selector: ([a, b]) => JSON.stringify([a, b]) }), (given) => {
      const names = given.map(([server, tool]) => nameOf(server, tool))
      for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
      expect(names).toEqual(given.map(([server, tool]) => nameOf(server, tool)))
    }),
  )
  expect(nameOf('my notes', 'add')).not.toBe(nameOf('my_notes', 'add'))
  expect(nameOf('a__b', 'c')).not.toBe(nameOf('a', 'b__c'))
  expect(nameOf('a_', '_b')).not.toBe(nameOf('a', '__b'))
  expect(nameOf('n', 'x'.repeat(200))).not.toBe(nameOf('n', 'x'.repeat(201)))
})
