import { refusalOf } from '@steward/platform'
import { expect, test } from 'vitest'
import { createStandInAddresses, NAME_SERVER } from './stand-in-addresses.ts'

test('a name keeps its address, and an address its name', () => {
  const addresses = createStandInAddresses()
  const first = addresses.give('a.test')
  expect(addresses.give('b.test')).not.toBe(first)
  expect(addresses.give('a.test')).toBe(first)
  expect(addresses.find(first)).toBe('a.test')
  expect(addresses.find(NAME_SERVER)).toBeUndefined()
})

test('names unused for longest are forgotten, and their addresses do not lead to another name', () => {
  const addresses = createStandInAddresses(2)
  const [a, b] = ['a.test', 'b.test'].map(addresses.give)
  addresses.give('a.test')
  const c = addresses.give('c.test')
  expect(new Set([a, b, c]).size).toBe(3)
  expect([a, b, c].map((address) => addresses.find(address ?? ''))).toEqual([
    'a.test',
    undefined,
    'c.test',
  ])
})

test('no real host has such an address, and a connection to a forgotten one is refused', () => {
  const addresses = createStandInAddresses()
  for (let count = 0; count < 140_000; count += 1) {
    const address = addresses.give(`${count}.test`)
    if (count % 1000 !== 0) continue
    expect(refusalOf(address)).toBeTypeOf('string')
    expect(address).not.toBe(NAME_SERVER)
  }
})
