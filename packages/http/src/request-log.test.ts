import { StewardError } from '@steward/contract'
import { expect, test } from 'vitest'
import { createRequestLog } from './request-log.ts'

const refusal = new StewardError('unauthorized')
const open = () => {
  const lines: string[] = []
  let now = 0
  const log = createRequestLog(
    'refused',
    (line) => void lines.push(line),
    () => now,
  )
  return {
    lines,
    log,
    wait: (delayMs: number) => {
      now += delayMs
    },
  }
}

test('a refusal is one line, without its query', () => {
  const { log, lines } = open()
  log.note({ method: 'GET', url: '/auth?code=secret' }, refusal)
  expect(lines).toEqual(['refused GET /auth: 401 unauthorized: Unauthorized'])
})

test('a flood is a few lines, and a count once the minute is over', () => {
  const { log, lines, wait } = open()
  for (let count = 0; count < 1000; count++) log.note({ method: 'GET', url: '/' }, refusal)
  expect(lines).toHaveLength(10)
  expect(log.count()).toBe(1000)
  wait(60_000)
  log.note({ method: 'GET', url: '/' }, refusal)
  expect(lines[10]).toBe('refused: 990 more (unauthorized) that are not listed')
  expect(lines).toHaveLength(12)
})

test('one kind does not suppress another', () => {
  const { log, lines } = open()
  for (let count = 0; count < 20; count++) log.note({ method: 'GET', url: '/' }, refusal)
  log.note({ method: 'GET', url: '/' }, refusal, 'another kind')
  expect(lines).toHaveLength(11)
})

test('untrusted text is cut and cannot move the cursor', () => {
  const { log, lines } = open()
  log.note({ method: 'GET', url: `/\u001b[2J\n${'x'.repeat(1000)}` }, refusal)
  expect(lines[0]).toMatch(/^refused GET \/\?\[2J\?x+: 401/)
  expect(lines[0]?.length).toBeLessThan(200)
})
