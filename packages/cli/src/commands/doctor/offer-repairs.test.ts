import { PassThrough } from 'node:stream'
import type { Finding } from '@steward/assistants'
import { expect, test } from 'vitest'
import { memorySink } from '../../testing/memory-io.ts'
import { offerRepairs } from './offer-repairs.ts'

const findingsOf = (repaired: string[]): Finding[] => {
  const fix = (name: string) => async () => {
    repaired.push(name)
    return 'done'
  }
  return [
    { check: 'fine', status: 'ok', message: 'well', fix: fix('fine') },
    { check: 'folder', status: 'warn', message: 'it is open', fix: fix('folder') },
    {
      check: 'hooks',
      status: 'warn',
      message: 'they are doubled',
      change: 'Two of them will be removed.',
      asksFirst: true,
      fix: fix('hooks'),
    },
  ]
}
const terminal = (isTerminal = true) => ({
  stdin: Object.assign(new PassThrough(), { isTTY: true as const, setRawMode: () => undefined }),
  out: memorySink(isTerminal),
  err: memorySink(),
})

test('after --fix, only repairs that need consent are offered, with what they change', async () => {
  const repaired: string[] = []
  const io = terminal()
  const asked = offerRepairs(io, findingsOf(repaired), { wasTried: true })
  io.stdin.write('y')
  expect(await asked).toBe(true)
  expect(repaired).toEqual(['hooks'])
  expect(io.err.text()).toBe(
    'hooks: they are doubled. Two of them will be removed. Repair it? [y/n] yes\nhooks: done\n',
  )
})

test('a declined repair is not made, and nothing is asked without a terminal', async () => {
  const repaired: string[] = []
  const io = terminal()
  const asked = offerRepairs(io, findingsOf(repaired).slice(0, 2), { wasTried: false })
  io.stdin.write('n')
  expect(await asked).toBe(false)
  expect(await offerRepairs(terminal(false), findingsOf(repaired), { wasTried: true })).toBe(false)
  expect(repaired).toEqual([])
})
