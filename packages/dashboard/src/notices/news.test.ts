import type { AttentionEntry } from '@steward/contract'
import { expect, it } from 'vitest'
import { newsOf } from './news.ts'

const waiting: AttentionEntry = {
  id: 'r1',
  session_id: 's1',
  name: 'Release Notes',
  project: '/home/u/proj',
  host: 'claude',
  kind: 'permission',
  tool: 'Bash',
  preview: 'wants to run npm publish',
  choices: [],
  answerable: false,
  since: '2026-11-15T10:00:00.000Z',
  answer: { where: 'terminal', hint: 'in the terminal' },
}
const delivery = {
  id: 'd1',
  notice: 'n1',
  at: '2026-11-15T10:00:00.000Z',
  channel: 'push',
  kind: 'security',
  priority: 5,
  session_id: null,
  title: 'Security',
  message: 'rm -rf ~ was refused',
  state: 'skipped',
  attempts: 0,
  detail: null,
} as const

it('names who waits and for what; the same wait is the same news, a later one is not', () => {
  const [first] = newsOf([waiting], [])
  expect(first).toMatchObject({
    title: 'Release Notes asks for permission',
    body: 'wants to run npm publish',
    href: '/today',
  })
  expect(newsOf([{ ...waiting, preview: 'other' }], [])[0]?.id).toBe(first?.id)
  const later = { ...waiting, since: '2026-11-15T11:00:00.000Z' }
  expect(newsOf([later], [])[0]?.id).not.toBe(first?.id)
})

it('shows an urgent notification once, whatever its channels; others not at all', () => {
  const told = newsOf(
    [],
    [
      delivery,
      { ...delivery, id: 'd2', channel: 'chat' },
      { ...delivery, id: 'd3', notice: 'n3', priority: 3 },
    ],
  )
  expect(told).toEqual([
    {
      id: 'notice n1',
      title: 'Security',
      body: 'rm -rf ~ was refused',
      href: '/security?tab=events',
    },
  ])
})

it('a stopped session is only shown as waiting', () => {
  const stopped = { ...delivery, kind: 'error', priority: 4, session_id: 's1' }
  expect(newsOf([{ ...waiting, kind: 'error' }], [stopped])).toHaveLength(1)
})
