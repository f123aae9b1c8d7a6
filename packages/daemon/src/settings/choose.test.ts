import { settings } from '@steward/contract'
import { expect, test } from 'vitest'
import { choosePort } from './choose-port.ts'
import { expandVariables } from './expand-variables.ts'

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

test('${NAME} is replaced by its value, and nothing else is', () => {
  const environment = { TOKEN: 'abc', EMPTY: '' }
  const expand = (text: string) => expandVariables(text, environment, 'a header')
  expect(expand('Bearer ${TOKEN}')).toEqual({ ok: true, value: 'Bearer abc' })
  expect(expand('$TOKEN ${} ${EMPTY}${TOKEN}')).toEqual({ ok: true, value: '$TOKEN ${} abc' })
})

test('a value is not expanded again', () => {
  expect(expandVariables('${A}', { A: '${B}', B: 'x' }, 'x')).toEqual({ ok: true, value: '${B}' })
})

test('a name without a value is named', () => {
  const expanded = expandVariables('${ONE}${TWO}${ONE}', {}, 'the header of target x')
  expect(expanded.ok ? '' : expanded.error.message).toBe(
    'the header of target x is not configured: ONE, TWO is not set; export it or put it into .env',
  )
})
