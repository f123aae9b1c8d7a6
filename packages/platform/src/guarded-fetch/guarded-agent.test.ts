import { expect, it } from 'vitest'
import { keepPublic } from './guarded-agent.ts'

it('keeps the public ones of several addresses', () => {
  const found = [
    { address: '127.0.0.1', family: 4 },
    { address: '93.184.216.34', family: 4 },
    { address: 'fe80::1', family: 6 },
  ]
  expect(keepPublic('mixed.test', found)).toEqual([{ address: '93.184.216.34', family: 4 }])
})
