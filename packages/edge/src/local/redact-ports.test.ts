import { expect, it } from 'vitest'
import {
  HELD_BACK_TEXTS,
  missedRates,
} from '../../../platform/src/redaction/testing/held-back-rates.ts'
import { redactPorts } from './redact-ports.ts'

const openPorts = (environment: Readonly<Record<string, string>> = {}) => {
  const said: string[] = []
  const warned: string[] = []
  const logged: string[] = []
  const given = {
    say: (text: string) => said.push(text),
    warn: (text: string) => warned.push(text),
    log: (level: string, text: string) => logged.push(`${level} ${text}`),
  }
  return { ports: redactPorts(given, environment), said, warned, logged }
}

it('shows the held-back texts with the required rates in every message', () => {
  const { ports, said, warned, logged } = openPorts()
  for (const text of HELD_BACK_TEXTS) {
    ports.say(`reloaded: ${text}`)
    ports.warn(`reload failed: ${text}`)
    ports.log('error', JSON.stringify({ action: 'A_X', message: text }))
  }
  for (const shown of [said, warned, logged]) expect(missedRates(shown)).toEqual([])
})

it('masks the values of the environment by their names', () => {
  const { ports, logged } = openPorts({ AUTH_TOKEN: 'correct horse battery' })
  ports.log('info', 'called with correct horse battery')
  expect(logged).toEqual(['info called with [redacted:AUTH_TOKEN]'])
})
