import { settings } from '@steward/contract'
import { expect, test } from 'vitest'
import { choosePort } from './choose-port.ts'

const defaults = settings.parse({})

test('the port is the one asked for, then the environment’s, then the settings’', () => {
  expect(choosePort(1, { STEWARD_PORT: '2' }, defaults)).toBe(1)
  expect(choosePort(undefined, { STEWARD_PORT: ' 2 ' }, defaults)).toBe(2)
  expect(choosePort(undefined, { STEWARD_PORT: '' }, defaults)).toBe(31337)
  expect(choosePort(undefined, {}, defaults)).toBe(31337)
})

test.each(['x', '-1', '1.5', '65536', '0x50'])('STEWARD_PORT %s is refused', (text) => {
  expect(() => choosePort(undefined, { STEWARD_PORT: text }, defaults)).toThrow('STEWARD_PORT')
})
