import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { judgeCommand } from './judge/judge-command.ts'
import { openPolicy } from './policy/open-policy.ts'

const list = z.array(z.string())
const corpus = z
  .object({
    dangerous: z.object({ deny: list, ask: list }),
    harmless: z.object({ pass: list, alert: list }),
  })
  .parse(parse(readFileSync(join(import.meta.dirname, 'testing/commands.yaml'), 'utf8')))

const opened = openPolicy({ text: undefined, home: '/home/u', dataHome: '/home/u/.steward' })
if (!opened.ok) throw opened.error
const policy = opened.value

const judgeAll = (commands: readonly string[]) =>
  commands.map((command) => {
    const { verdict, rule, reason } = judgeCommand(command, policy, { cwd: '/home/u/proj' })
    return { command, verdict, why: `${rule} ${reason}` }
  })

describe('the corpus of commands', () => {
  it('is large and without repetition', () => {
    const dangerous = [...corpus.dangerous.deny, ...corpus.dangerous.ask]
    const harmless = [...corpus.harmless.pass, ...corpus.harmless.alert]
    expect(new Set(dangerous).size).toBe(dangerous.length)
    expect(new Set(harmless).size).toBe(harmless.length)
    expect(dangerous.length).toBeGreaterThanOrEqual(300)
    expect(harmless.length).toBeGreaterThanOrEqual(300)
  })

  for (const [verdict, commands] of [
    ...Object.entries(corpus.dangerous),
    ...Object.entries(corpus.harmless),
  ]) {
    it(`says ${verdict} where it should`, () => {
      const wrong = judgeAll(commands).filter((each) => each.verdict !== verdict)
      expect(wrong).toEqual([])
    })
  }
})
